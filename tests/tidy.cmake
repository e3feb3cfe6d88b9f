# The tidiness of the tree, as an ordinary test.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME tidy COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/tidy/tidy_test.py
                           --cc ${CMAKE_C_COMPILER})
set_tests_properties(tidy PROPERTIES TIMEOUT 120 LABELS script)

# Every family of kernels has tests of its numerics.
add_test(NAME kernel_families
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/providers/cpu/arith/families_test.py)
set_tests_properties(kernel_families PROPERTIES TIMEOUT 60 LABELS script)
