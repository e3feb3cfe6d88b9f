# The differential fuzzer: random graphs by every route.
file(GLOB_RECURSE FUZZER_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/differential/fuzzer/*.cc)
add_executable(ortc_fuzzer ${FUZZER_SOURCES})
set_target_properties(ortc_fuzzer PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/bin)
target_link_libraries(ortc_fuzzer PRIVATE test_support)
build_as_test(ortc_fuzzer 6)
# Rows of one family have the names of another's: kReal, gelu.
file(GLOB FUZZER_ROWS CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/differential/fuzzer/rows/*.cc)
set_source_files_properties(${FUZZER_ROWS} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
# The first graphs of one seed, without ONNX Runtime; tools/check.sh draws others and more. Every
# operator of the library is among them, or has its reason in left_out.cc.
add_test(NAME fuzzer_quick COMMAND ortc_fuzzer --count 150 --workers 2 --at-least 1)
set_tests_properties(fuzzer_quick PROPERTIES TIMEOUT 300)
# The lines that planted faults change are still there.
add_test(NAME planted_faults_lines
         COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/differential/planted_faults.py --lines)
