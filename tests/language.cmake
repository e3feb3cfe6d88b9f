# Small language models, made and compiled once for the tests that run them.
set(LANGUAGE_MODELS ${CMAKE_BINARY_DIR}/test/language)
add_test(NAME language_models_are_made
         COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/support/make_language_models.sh
                 $<TARGET_FILE:ortc_tool> ${LANGUAGE_MODELS})
set_tests_properties(language_models_are_made PROPERTIES FIXTURES_SETUP language_models)
set_tests_properties(language_model_test PROPERTIES
  FIXTURES_REQUIRED language_models
  ENVIRONMENT "CMOCKA_TEST_ABORT=1;LANGUAGE_MODELS=${LANGUAGE_MODELS}")
add_test(NAME language_differential_test
         COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/differential/language_models_test.py
                 ${CMAKE_BINARY_DIR} ${LANGUAGE_MODELS})
set_tests_properties(language_differential_test PROPERTIES
  FIXTURES_REQUIRED language_models TIMEOUT 300 SKIP_RETURN_CODE 77)
