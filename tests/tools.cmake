# The command line, tested from outside with models made by python3-onnx.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME tool_test COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/tools/tool_test.py
                                $<TARGET_FILE:ortc_tool>)
set_tests_properties(tool_test PROPERTIES TIMEOUT 300)
add_test(NAME edit_test COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/tools/edit_test.py
                                $<TARGET_FILE:ortc_tool>)
set_tests_properties(edit_test PROPERTIES TIMEOUT 300)
# The demo's claims, tested.
add_test(NAME digits_test COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/tools/digits_test.sh
                                  $<TARGET_FILE:ortc_tool>)
# What `make install` leaves, used as a stranger would.
add_test(NAME install_test COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/tools/install_test.sh
                                   ${CMAKE_COMMAND} ${CMAKE_BINARY_DIR} ${CMAKE_C_COMPILER})
