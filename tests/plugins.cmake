# Libraries of execution providers: the samples, and some for tests. All see include/ only.
set(PLUGIN_SAMPLES ${CMAKE_SOURCE_DIR}/providers/plugins)
add_subdirectory(${PLUGIN_SAMPLES}/virtual_npu ${CMAKE_BINARY_DIR}/virtual_npu)
add_subdirectory(${PLUGIN_SAMPLES}/device_memory ${CMAKE_BINARY_DIR}/device_memory)
set(PLUGIN_TESTS ${CMAKE_CURRENT_LIST_DIR}/api/plugin)
file(GLOB TEST_LIBRARY CONFIGURE_DEPENDS ${PLUGIN_TESTS}/library/test_*.cc)
add_library(test_library MODULE ${TEST_LIBRARY})
# One whose kernels stand in a registry, and one that claims every node it is shown.
file(GLOB KERNEL_LIBRARY CONFIGURE_DEPENDS ${PLUGIN_TESTS}/library/kernels/*.cc)
add_library(kernel_library MODULE ${KERNEL_LIBRARY})
add_library(claim_all MODULE ${PLUGIN_TESTS}/library/claim_all.cc)
# The sample with memory of its own, with functions in front of its functions.
file(GLOB DEVICE_SAMPLE CONFIGURE_DEPENDS ${PLUGIN_SAMPLES}/device_memory/*.cc)
foreach(library faulty_memory faulty_answers device_kernels)
  add_library(${library} MODULE ${PLUGIN_TESTS}/library/${library}.cc ${DEVICE_SAMPLE})
  target_include_directories(${library} PRIVATE ${PLUGIN_SAMPLES}/device_memory)
  target_compile_definitions(${library} PRIVATE CreateEpFactories=SampleCreateEpFactories
                                                ReleaseEpFactory=SampleReleaseEpFactory)
endforeach()
# The sample that asks for channels-last data, with functions in front that tell what it was shown.
file(GLOB NPU_SAMPLE CONFIGURE_DEPENDS ${PLUGIN_SAMPLES}/virtual_npu/*.cc)
file(GLOB LAYOUT_LIBRARY CONFIGURE_DEPENDS ${PLUGIN_TESTS}/library/layout/*.cc)
add_library(layout_library MODULE ${LAYOUT_LIBRARY} ${NPU_SAMPLE})
target_include_directories(layout_library PRIVATE ${PLUGIN_SAMPLES}/virtual_npu)
target_compile_definitions(layout_library PRIVATE CreateEpFactories=SampleCreateEpFactories
                                                  ReleaseEpFactory=SampleReleaseEpFactory)
foreach(library test_library faulty_memory faulty_answers kernel_library claim_all device_kernels
                layout_library)
  target_include_directories(${library} PRIVATE ${CMAKE_SOURCE_DIR}/include
                             ${CMAKE_SOURCE_DIR}/include/ort-compat)
  target_compile_options(${library} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  set_target_properties(${library} PROPERTIES CXX_VISIBILITY_PRESET hidden)
endforeach()

file(GLOB PLUGIN_TEST_SOURCES CONFIGURE_DEPENDS ${PLUGIN_TESTS}/*_test.cc)
programs_of("${PLUGIN_TEST_SOURCES}" PLUGIN_TEST_PROGRAMS)
foreach(name ${PLUGIN_TEST_PROGRAMS})
  target_compile_definitions(${name} PRIVATE ORTC_TEST_LIBRARY="$<TARGET_FILE:test_library>"
                                             ORTC_NPU_LIBRARY="$<TARGET_FILE:virtual_npu>"
                                             ORTC_DEVICE_LIBRARY="$<TARGET_FILE:device_memory>"
                                             ORTC_FAULTY_LIBRARY="$<TARGET_FILE:faulty_memory>"
                                             ORTC_ANSWERS_LIBRARY="$<TARGET_FILE:faulty_answers>"
                                             ORTC_KERNEL_LIBRARY="$<TARGET_FILE:kernel_library>"
                                             ORTC_DEVICE_KERNELS="$<TARGET_FILE:device_kernels>"
                                             ORTC_LAYOUT_LIBRARY="$<TARGET_FILE:layout_library>")
  add_dependencies(${name} test_library faulty_memory faulty_answers virtual_npu device_memory
                   kernel_library device_kernels layout_library)
endforeach()

target_compile_definitions(plugin_route_test
                           PRIVATE ORTC_CLAIM_ALL_LIBRARY="$<TARGET_FILE:claim_all>")
add_dependencies(plugin_route_test claim_all)

if(Python3_FOUND AND NOT ORTC_SANITIZE)  # Python does not load a sanitizer first
  add_test(NAME op_schemas COMMAND /usr/bin/python3 ${PLUGIN_TESTS}/check_op_schemas.py
                                   $<TARGET_FILE:ort_c> ${CMAKE_SOURCE_DIR}/core/api/abi/ort_tables.tsv)
  set_tests_properties(op_schemas PROPERTIES SKIP_RETURN_CODE 77)
endif()
