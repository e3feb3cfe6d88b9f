# Code that pages show, compiled: each test includes what was extracted from its page.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
function(add_code_of_page test page)
  set(code ${CMAKE_CURRENT_BINARY_DIR}/docs/${test}_code.inc)
  add_custom_command(
    OUTPUT ${code}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/docs
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/docs/extract_code.py ${page} cpp ${code}
    DEPENDS ${page} ${CMAKE_CURRENT_LIST_DIR}/docs/extract_code.py)
  target_sources(${test} PRIVATE ${code})
  target_include_directories(${test} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/docs)
endfunction()
add_code_of_page(add_a_provider_test ${CMAKE_SOURCE_DIR}/docs/add-a-provider.md)
add_code_of_page(add_an_operator_test ${CMAKE_SOURCE_DIR}/docs/add-an-operator.md)

# Its programs are built as a user's are, without sanitizers.
if(NOT ORTC_SANITIZE)
  add_test(NAME language_models_page_test
           COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/docs/language_models_page_test.py
                   ${CMAKE_BINARY_DIR})
  set_tests_properties(language_models_page_test PROPERTIES TIMEOUT 120)
endif()
