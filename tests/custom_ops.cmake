# Libraries of custom operators for custom_op_library_test, built as others build theirs: against include/ alone.
foreach(name operators broken provider)
  add_library(test_${name} MODULE ${CMAKE_CURRENT_LIST_DIR}/api/operators/${name}.cc)
  set_target_properties(
    test_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/operators CXX_VISIBILITY_PRESET hidden
                            DISABLE_PRECOMPILE_HEADERS ON)
  target_include_directories(
    test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/include/ort-compat)
  add_dependencies(custom_op_library_test test_${name})
endforeach()
target_compile_definitions(custom_op_library_test PRIVATE OPERATORS="${CMAKE_BINARY_DIR}/test/operators/")
# OrtRegisterCustomOpsUsingFunction() finds a function of the program.
set_target_properties(custom_op_library_test PROPERTIES ENABLE_EXPORTS ON)
