# libortc_ep.so in two runtimes: ortc itself, always, and the one that ORTC_ORT_LIBRARY names.
set(ORTC_EP_TESTS ${CMAKE_CURRENT_LIST_DIR}/ortc_ep)
# The library behind hosts that are the runtime but for one function.
add_library(odd_host MODULE ${ORTC_EP_TESTS}/library/odd_host.cc)
target_include_directories(odd_host PRIVATE ${CMAKE_SOURCE_DIR}/include
                                            ${CMAKE_SOURCE_DIR}/include/ort-compat)
target_compile_definitions(odd_host PRIVATE ORTC_EP_LIBRARY="$<TARGET_FILE:ortc_ep>")
set_target_properties(odd_host PROPERTIES CXX_VISIBILITY_PRESET hidden)
file(GLOB ORTC_EP_TEST_SOURCES CONFIGURE_DEPENDS ${ORTC_EP_TESTS}/*_test.cc)
programs_of("${ORTC_EP_TEST_SOURCES}" ORTC_EP_TEST_PROGRAMS)
foreach(name ${ORTC_EP_TEST_PROGRAMS})
  target_sources(${name} PRIVATE ${ORTC_EP_TESTS}/host_runtime.cc
                                 ${CMAKE_SOURCE_DIR}/providers/ortc_ep/context_output.cc)
  target_compile_definitions(${name} PRIVATE ORTC_EP_LIBRARY="$<TARGET_FILE:ortc_ep>"
                                             ORTC_ODD_HOST="$<TARGET_FILE:odd_host>")
  add_dependencies(${name} ortc_ep odd_host)
endforeach()

# The program that the page shows.
add_code_of_page(onnxruntime_plugin_test ${CMAKE_SOURCE_DIR}/docs/onnxruntime-plugin.md)
target_include_directories(onnxruntime_plugin_test PRIVATE
                           ${CMAKE_SOURCE_DIR}/include/ort-compat)
target_compile_definitions(onnxruntime_plugin_test PRIVATE ORTC_COMPAT_USES_ORT_C
                                                          ORTC_EP_LIBRARY="$<TARGET_FILE:ortc_ep>")
add_dependencies(onnxruntime_plugin_test ortc_ep)
