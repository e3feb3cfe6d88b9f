# The benchmark's harness with stand-ins, and the comparison with ONNX Runtime where it is there.
add_test(NAME bench_harness_test
         COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/bench/harness_test.py
                 $<TARGET_FILE:ort_c>)
set_tests_properties(bench_harness_test PROPERTIES TIMEOUT 600)
if(TARGET bench_driver)
  add_test(NAME bench_walk_test
           COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/bench/walk_test.py
                   $<TARGET_FILE:ort_c> $<TARGET_FILE:bench_driver>)
  set_tests_properties(bench_walk_test PROPERTIES TIMEOUT 600)
  add_test(NAME bench_real_test
           COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/bench/real_test.py
                   $<TARGET_FILE:ort_c> $<TARGET_FILE:bench_driver> $<TARGET_FILE:ortc_tool>)
  set_tests_properties(bench_real_test PROPERTIES TIMEOUT 300)
endif()
add_test(NAME models_test COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/bench/models_test.py)
set_tests_properties(models_test PROPERTIES TIMEOUT 300)
add_test(NAME differential_test
         COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/differential/differential_test.sh
                 ${CMAKE_BINARY_DIR})
set_tests_properties(differential_test PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77)
add_test(NAME trained_models_test
         COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/differential/trained_models_test.py
                 ${CMAKE_BINARY_DIR})
set_tests_properties(trained_models_test PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
