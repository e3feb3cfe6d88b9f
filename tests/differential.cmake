# The differential fuzzer: random graphs by every route.
file(GLOB_RECURSE FUZZER_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/differential/fuzzer/*.cc)
add_executable(ortc_fuzzer ${FUZZER_SOURCES})
set_target_properties(ortc_fuzzer PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/bin)
target_link_libraries(ortc_fuzzer PRIVATE test_support)
