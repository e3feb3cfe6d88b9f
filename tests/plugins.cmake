# Libraries of execution providers: the samples, and two for tests. All see include/ only.
set(PLUGIN_SAMPLES ${CMAKE_SOURCE_DIR}/providers/plugins)
add_subdirectory(${PLUGIN_SAMPLES}/virtual_npu ${CMAKE_BINARY_DIR}/virtual_npu)
add_subdirectory(${PLUGIN_SAMPLES}/device_memory ${CMAKE_BINARY_DIR}/device_memory)
set(PLUGIN_TESTS ${CMAKE_CURRENT_LIST_DIR}/api/plugin)
add_library(test_library MODULE ${PLUGIN_TESTS}/library/test_library.cc)
# The sample with memory of its own, whose functions fail when they are told to.
file(GLOB DEVICE_SAMPLE CONFIGURE_DEPENDS ${PLUGIN_SAMPLES}/device_memory/*.cc)
add_library(faulty_memory MODULE ${PLUGIN_TESTS}/library/faulty_memory.cc ${DEVICE_SAMPLE})
target_include_directories(faulty_memory PRIVATE ${PLUGIN_SAMPLES}/device_memory)
target_compile_definitions(faulty_memory PRIVATE CreateEpFactories=SampleCreateEpFactories
                                                 ReleaseEpFactory=SampleReleaseEpFactory)
foreach(library test_library faulty_memory)
  target_include_directories(${library} PRIVATE ${CMAKE_SOURCE_DIR}/include
                             ${CMAKE_SOURCE_DIR}/include/ort-compat)
  target_compile_options(${library} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  set_target_properties(${library} PROPERTIES CXX_VISIBILITY_PRESET hidden)
endforeach()

file(GLOB PLUGIN_TEST_SOURCES CONFIGURE_DEPENDS ${PLUGIN_TESTS}/*_test.cc)
foreach(source ${PLUGIN_TEST_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  target_compile_definitions(${name} PRIVATE ORTC_TEST_LIBRARY="$<TARGET_FILE:test_library>"
                                             ORTC_NPU_LIBRARY="$<TARGET_FILE:virtual_npu>"
                                             ORTC_DEVICE_LIBRARY="$<TARGET_FILE:device_memory>"
                                             ORTC_FAULTY_LIBRARY="$<TARGET_FILE:faulty_memory>")
  add_dependencies(${name} test_library faulty_memory virtual_npu device_memory)
endforeach()
