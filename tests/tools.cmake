# The command line, tested from outside with models made by python3-onnx.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(test tool_test tool_errors_test run_test bench_test cold_start_test
             edit_test cache_test share_test package_test completion_test pages_test picture_test
             outputs_test compare_test streams_test)
  add_test(NAME ${test} COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/tools/${test}.py
                                $<TARGET_FILE:ortc_tool>)
  set_tests_properties(${test} PROPERTIES TIMEOUT 300)
endforeach()
# Pictures, and operators of libort_c_extra.so.
if(TARGET ort_c_extra)
  add_test(NAME extra_test COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/tools/extra_test.py
                                   $<TARGET_FILE:ortc_tool>)
  set_tests_properties(extra_test PROPERTIES TIMEOUT 300)
endif()
# With libraries of execution providers.
foreach(test ep_test_test devices_test)
  add_test(NAME ${test} COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/tools/${test}.py
                                $<TARGET_FILE:ortc_tool> ${CMAKE_BINARY_DIR}/lib)
  set_tests_properties(${test} PROPERTIES TIMEOUT 300)
endforeach()
# The demo's claims, tested.
add_test(NAME digits_test COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/tools/digits_test.sh
                                  $<TARGET_FILE:ortc_tool>)
# What `make install` leaves, used as a stranger would.
add_test(NAME install_test COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/tools/install_test.sh
                                   ${CMAKE_COMMAND} ${CMAKE_BINARY_DIR} ${CMAKE_C_COMPILER}
                                   ${CMAKE_CXX_COMPILER})
