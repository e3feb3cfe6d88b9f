# Libraries of execution providers: the sample, and one for tests. Both see include/ only.
add_subdirectory(${CMAKE_SOURCE_DIR}/providers/plugins/virtual_npu ${CMAKE_BINARY_DIR}/virtual_npu)
set(PLUGIN_TESTS ${CMAKE_CURRENT_LIST_DIR}/api/plugin)
add_library(test_library MODULE ${PLUGIN_TESTS}/library/test_library.cc)
target_include_directories(test_library PRIVATE ${CMAKE_SOURCE_DIR}/include
                           ${CMAKE_SOURCE_DIR}/include/ort-compat)
target_compile_options(test_library PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
set_target_properties(test_library PROPERTIES CXX_VISIBILITY_PRESET hidden)

file(GLOB PLUGIN_TEST_SOURCES CONFIGURE_DEPENDS ${PLUGIN_TESTS}/*_test.cc)
foreach(source ${PLUGIN_TEST_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  target_compile_definitions(${name} PRIVATE ORTC_TEST_LIBRARY="$<TARGET_FILE:test_library>"
                                             ORTC_NPU_LIBRARY="$<TARGET_FILE:virtual_npu>")
  add_dependencies(${name} test_library virtual_npu)
endforeach()
