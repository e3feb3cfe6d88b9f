# The C++ interface: the other files of cxx_api_test, two of them in other modes.
file(GLOB CXX_CASES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/api/cxx/*.cc)
target_sources(cxx_api_test PRIVATE ${CXX_CASES})
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/api/cxx/no_exceptions.cc PROPERTIES
                            COMPILE_OPTIONS "-fno-exceptions;-std=c++17")
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/api/cxx/given_table.cc PROPERTIES
                            COMPILE_OPTIONS "-std=c++17")
