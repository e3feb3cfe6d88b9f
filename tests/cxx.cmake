# The C++ interface: the other files of cxx_api_test, two of them in other modes.
file(GLOB CXX_CASES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/api/cxx/*.cc)
target_sources(cxx_api_test PRIVATE ${CXX_CASES})
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/api/cxx/no_exceptions.cc PROPERTIES
                            COMPILE_OPTIONS "-fno-exceptions;-std=c++17")
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/api/cxx/given_table.cc PROPERTIES
                            COMPILE_OPTIONS "-std=c++17")
set_source_files_properties(
  ${CMAKE_CURRENT_LIST_DIR}/api/cxx/onnxruntime_program.cc PROPERTIES
  INCLUDE_DIRECTORIES
  "${CMAKE_SOURCE_DIR}/include/ort_c/onnxruntime;${CMAKE_SOURCE_DIR}/include/ort_c/onnxruntime/core/session")

add_test(NAME cxx_headers COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/api/headers/check_cxx.sh
                                  ${CMAKE_CXX_COMPILER})
set_tests_properties(cxx_headers PROPERTIES TIMEOUT 300 LABELS script)
