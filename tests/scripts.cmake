# Tests that are scripts: the headers, the lists made from them, the symbols of the library.
set(API_TESTS ${CMAKE_SOURCE_DIR}/tests/api)
find_package(Python3 COMPONENTS Interpreter)

add_test(NAME api_headers COMMAND sh ${API_TESTS}/headers/check_headers.sh ${CMAKE_C_COMPILER}
                                  ${CMAKE_CXX_COMPILER})
if(Python3_FOUND)
  add_test(NAME api_lists COMMAND sh ${API_TESTS}/headers/check_lists.sh ${Python3_EXECUTABLE})
  add_test(NAME epcontext_rows COMMAND ${Python3_EXECUTABLE} ${API_TESTS}/check_rows.py ${API_TESTS}/epcontext_rows.tsv)
  add_test(NAME misbehaviours COMMAND ${Python3_EXECUTABLE} ${API_TESTS}/check_rows.py
                                      ${API_TESTS}/plugin/misbehaviours.tsv)
endif()
add_test(NAME api_constructors COMMAND sh ${API_TESTS}/check_constructors.sh
                                       $<TARGET_FILE:ortc_internals>)
add_test(NAME api_exports COMMAND sh ${API_TESTS}/check_exports.sh $<TARGET_FILE:ort_c>
                                  ${CMAKE_SOURCE_DIR}/core/api/functions.tsv)
# A quarter of ONNX Runtime's library at most. As it is released: other options make other sizes.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT ORTC_SANITIZE
   AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_test(NAME library_size COMMAND sh ${API_TESTS}/check_size.sh $<TARGET_FILE:ort_c> 11457128)
endif()
