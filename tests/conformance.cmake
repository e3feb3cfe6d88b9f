# Conformance tests that are scripts: models of well-known architectures against the numpy evaluator.
add_test(NAME oracle_models COMMAND /usr/bin/python3
                                    ${CMAKE_CURRENT_LIST_DIR}/conformance/oracle_models.py
                                    $<TARGET_FILE:ortc_tool>)
set_tests_properties(oracle_models PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)

# Operators of ai.onnx.ml, one by one, against numpy.
add_test(NAME ml_models COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/conformance/ml_models.py
                                $<TARGET_FILE:ortc_tool>)
set_tests_properties(ml_models PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)

# Operators of com.microsoft, one by one, against numpy.
add_test(NAME microsoft_models
         COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/conformance/microsoft_models.py
                 $<TARGET_FILE:ortc_tool>)
set_tests_properties(microsoft_models PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)

# Its searches for tokens, against numpy and, with ORTC_ORT_LIBRARY, against ONNX Runtime.
add_test(NAME microsoft_search_models
         COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/conformance/microsoft_search_models.py
                 $<TARGET_FILE:ortc_tool>)
set_tests_properties(microsoft_search_models PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)

# All cases of ONNX 1.23, where its archive is given.
add_test(NAME conformance_archive
         COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/conformance/archive_test.py
                 $<TARGET_FILE:conformance_test>)
set_tests_properties(conformance_archive PROPERTIES TIMEOUT 1200 SKIP_RETURN_CODE 77 LABELS script)
