# The walk over the published schemas, and the page that is made from its list. Python loads no sanitized library.
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND OR ORTC_SANITIZE)
  return()
endif()
add_test(NAME walk_test COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/walk/walk_test.py ${CMAKE_BINARY_DIR}/lib
                                --matrix ${CMAKE_BINARY_DIR}/test/walk)
set_tests_properties(walk_test PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77 PROCESSORS 2)
add_test(NAME op_attributes COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/walk/check_op_attributes.py)
set_tests_properties(op_attributes PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME operators_page COMMAND /usr/bin/python3 ${CMAKE_SOURCE_DIR}/tools/generate_operators_page.py --check)
