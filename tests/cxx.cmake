# The C++ interface: the other files of cxx_api_test, two of them in other modes.
file(GLOB CXX_CASES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/api/cxx/*.cc)
target_sources(cxx_api_test PRIVATE ${CXX_CASES})
target_link_libraries(cxx_api_test PRIVATE failing_allocations)
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/api/cxx/no_exceptions.cc PROPERTIES
                            COMPILE_OPTIONS "-fno-exceptions;-std=c++17")
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/api/cxx/given_table.cc PROPERTIES
                            COMPILE_OPTIONS "-std=c++17")
set_source_files_properties(
  ${CMAKE_CURRENT_LIST_DIR}/api/cxx/onnxruntime_program.cc PROPERTIES
  INCLUDE_DIRECTORIES ${CMAKE_SOURCE_DIR}/include/ort-compat
  COMPILE_DEFINITIONS ORTC_COMPAT_USES_ORT_C)
# As a program of others includes it: nothing before, and in their dialect.
set_source_files_properties(${CXX_CASES} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

add_test(NAME cxx_headers COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/api/headers/check_cxx.sh
                                  ${CMAKE_CXX_COMPILER})
set_tests_properties(cxx_headers PROPERTIES TIMEOUT 300 LABELS script)

# Samples that others wrote, and those of docs/cpp.md. Programs of their own: no sanitizer.
if(NOT ORTC_SANITIZE)
  add_test(NAME design_samples
           COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/api/samples/design_samples_test.py
                   ${CMAKE_CXX_COMPILER} $<TARGET_FILE_DIR:ort_c>)
  set_tests_properties(design_samples PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
  add_test(NAME cpp_page
           COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/api/samples/cpp_page_test.py
                   ${CMAKE_CXX_COMPILER} $<TARGET_FILE_DIR:ort_c>)
  set_tests_properties(cpp_page PROPERTIES TIMEOUT 300)
endif()
