# Tests of what libort_c_extra.so brings. Built without one of its libraries, they expect the error that says so.
if(TARGET ort_c_extra)
  foreach(test image_decoder_test patterns_test conformance_test)
    add_dependencies(${test} ort_c_extra)
    target_compile_definitions(${test} PRIVATE ${ORTC_EXTRA_HAS})
  endforeach()
endif()
