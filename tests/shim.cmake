# The shim: programs made for ONNX Runtime, the exported symbols, two runtimes in one process.
if(TARGET onnxruntime_shim)
  set(SHIM_TESTS ${CMAKE_CURRENT_LIST_DIR}/shim)
  if(NOT ORTC_SANITIZE)  # a sanitizer must be loaded first, which a linked program does not do
    add_test(NAME shim_linked COMMAND sh ${SHIM_TESTS}/check_linked.sh ${CMAKE_C_COMPILER}
                                      $<TARGET_FILE_DIR:onnxruntime_shim>)
  endif()
  add_test(NAME shim_symbols COMMAND sh ${SHIM_TESTS}/check_symbols.sh $<TARGET_FILE:ort_c>
                                     $<TARGET_FILE:onnxruntime_shim>
                                     ${CMAKE_SOURCE_DIR}/shim/versions.txt)
  add_executable(two_runtimes ${SHIM_TESTS}/two_runtimes.c)
  set_target_properties(two_runtimes PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/bin)
  target_include_directories(two_runtimes PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include)
  target_compile_definitions(two_runtimes PRIVATE ORTC_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(two_runtimes PRIVATE ${CMAKE_DL_LIBS})
  add_test(NAME two_runtimes COMMAND two_runtimes $<TARGET_FILE:ort_c>)
  set_tests_properties(two_runtimes PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()
