# The bindings, tested over an installed library as their users have them; tests/bindings/run.sh says how. A language
# whose tools are not there is skipped and named.
set(BINDINGS_TESTS ${CMAKE_SOURCE_DIR}/tests/bindings)
set(RECORDING ${CMAKE_BINARY_DIR}/test/recording)
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND OR ORTC_SANITIZE)
  return()
endif()

# libort_c.so.1 once more: forwards every call and notes the names of the functions that were called.
add_custom_command(
  OUTPUT ${RECORDING}/recording_library.c
  COMMAND ${CMAKE_COMMAND} -E make_directory ${RECORDING}
  COMMAND ${Python3_EXECUTABLE} ${BINDINGS_TESTS}/recording_library.py
          ${CMAKE_SOURCE_DIR}/core/api/functions.tsv ${RECORDING}/recording_library.c
  DEPENDS ${BINDINGS_TESTS}/recording_library.py ${CMAKE_SOURCE_DIR}/core/api/functions.tsv)
add_library(recording_library SHARED ${RECORDING}/recording_library.c)
set_target_properties(recording_library PROPERTIES OUTPUT_NAME ort_c VERSION ${PROJECT_VERSION}
                      SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY ${RECORDING})
target_include_directories(recording_library PRIVATE ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(recording_library PRIVATE ORTC_REAL_LIBRARY="$<TARGET_FILE:ort_c>")
target_link_options(recording_library PRIVATE
                    -Wl,--version-script=${CMAKE_SOURCE_DIR}/core/api/exports.map)
target_link_libraries(recording_library PRIVATE ${CMAKE_DL_LIBS})

add_test(NAME bindings_prepare COMMAND ${BINDINGS_TESTS}/run.sh prepare)
# Long ones come first, so that none is left alone at the end.
set_tests_properties(bindings_prepare PROPERTIES FIXTURES_SETUP bindings COST 2000
                     ENVIRONMENT BUILD=${CMAKE_BINARY_DIR})
foreach(language c csharp go python rust)
  if(EXISTS ${CMAKE_SOURCE_DIR}/bindings/${language}/test.sh)
    add_test(NAME bindings_${language} COMMAND ${BINDINGS_TESTS}/run.sh ${language} test)
    set_tests_properties(bindings_${language} PROPERTIES FIXTURES_REQUIRED bindings
                         ENVIRONMENT BUILD=${CMAKE_BINARY_DIR} SKIP_RETURN_CODE 77 TIMEOUT 1800 COST 1000)
    list(APPEND LANGUAGE_TESTS bindings_${language})
  endif()
endforeach()
add_test(NAME bindings_page COMMAND ${Python3_EXECUTABLE} ${BINDINGS_TESTS}/languages_page.py --check)
add_test(NAME bindings_coverage COMMAND ${Python3_EXECUTABLE} ${BINDINGS_TESTS}/coverage.py
                                        --calls ${CMAKE_BINARY_DIR}/test/bindings)
set_tests_properties(bindings_coverage PROPERTIES DEPENDS "${LANGUAGE_TESTS}")
