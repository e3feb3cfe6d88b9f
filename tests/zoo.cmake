# All models that can be generated, small, for tests that walk them.
set(ZOO_MODELS ${CMAKE_BINARY_DIR}/test/zoo)
add_test(NAME zoo_models_are_made
         COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/support/make_zoo_models.sh ${ZOO_MODELS})
set_tests_properties(zoo_models_are_made PROPERTIES FIXTURES_SETUP zoo_models)
set_tests_properties(steady_runs_test PROPERTIES
  FIXTURES_REQUIRED zoo_models
  ENVIRONMENT "CMOCKA_TEST_ABORT=1;ZOO_MODELS=${ZOO_MODELS}")
