# Programs written for ONNX Runtime, compiled against include/ort-compat.
if(TARGET onnxruntime_shim AND NOT ORTC_SANITIZE)
  set(COMPAT_TESTS ${CMAKE_CURRENT_LIST_DIR}/compat)
  add_test(NAME compat_headers COMMAND sh ${COMPAT_TESTS}/check_headers.sh ${CMAKE_C_COMPILER}
                                       ${CMAKE_CXX_COMPILER} /usr/bin/python3)
  add_test(NAME compat_programs COMMAND sh ${COMPAT_TESTS}/check_programs.sh ${CMAKE_C_COMPILER}
                                        ${CMAKE_CXX_COMPILER} $<TARGET_FILE_DIR:ort_c>)
  add_test(NAME compat_packages COMMAND sh ${COMPAT_TESTS}/check_packages.sh ${CMAKE_CXX_COMPILER}
                                        $<TARGET_FILE_DIR:ort_c> $<TARGET_FILE:ortc_tool>)
  add_test(NAME compat_page COMMAND /usr/bin/python3 ${COMPAT_TESTS}/page_test.py ${CMAKE_COMMAND}
                                    ${CMAKE_BINARY_DIR})
  set_tests_properties(compat_headers compat_programs compat_packages compat_page
                       PROPERTIES TIMEOUT 300 LABELS script)
endif()
