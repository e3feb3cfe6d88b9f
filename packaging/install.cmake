# What `make install` puts where: libraries and headers, what finds them (pkg-config, CMake), the tool with its man page
# and completion, licences. All of it can be moved as a whole. Components are the Debian packages (packages.cmake).
include(CMakePackageConfigHelpers)
set(ORTC_PACKAGING ${CMAKE_BINARY_DIR}/packaging)
set(ORTC_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ort_c)

# ort_c::onnxruntime: for programs written for ONNX Runtime that link libort_c. Those that link
# libonnxruntime, ours or ONNX Runtime's, have pkg-config's libonnxruntime-ortc.
add_library(ort_c_onnxruntime INTERFACE)
target_link_libraries(ort_c_onnxruntime INTERFACE ort_c)
target_include_directories(ort_c_onnxruntime INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include/ort-compat>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ort-compat>)
target_compile_definitions(ort_c_onnxruntime INTERFACE ORTC_COMPAT_USES_ORT_C)
set_target_properties(ort_c_onnxruntime PROPERTIES EXPORT_NAME onnxruntime)
install(TARGETS ort_c EXPORT ort_cTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
        NAMELINK_COMPONENT development)
install(TARGETS ort_c_onnxruntime EXPORT ort_cTargets)
install(TARGETS ortc_ep LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
# Beside libort_c.so, where that looks for it first.
if(TARGET ort_c_extra)
  install(TARGETS ort_c_extra LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT extra)
endif()

# ort_c::ort_c_static: everything in the program, but the libraries that ortc itself uses.
set(ORTC_STATIC_NEEDS protobuf-c uv zstd xxhash stdc++ m pthread dl)
if(ORTC_BUILD_STATIC)
  add_library(ort_c_static STATIC ${ORTC_OBJECTS})
  set_target_properties(ort_c_static PROPERTIES OUTPUT_NAME ort_c
                        ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  target_include_directories(ort_c_static INTERFACE
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(ort_c_static INTERFACE ${ORTC_STATIC_NEEDS})
  install(TARGETS ort_c_static EXPORT ort_cTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endif()

install(DIRECTORY include/ort_c include/ort-compat DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT ort_cTargets NAMESPACE ort_c:: DESTINATION ${ORTC_CMAKE_DIR} COMPONENT development)
configure_package_config_file(packaging/ort_cConfig.cmake.in ${ORTC_PACKAGING}/ort_cConfig.cmake
                              INSTALL_DESTINATION ${ORTC_CMAKE_DIR})
write_basic_package_version_file(${ORTC_PACKAGING}/ort_cConfigVersion.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${ORTC_PACKAGING}/ort_cConfig.cmake ${ORTC_PACKAGING}/ort_cConfigVersion.cmake
        DESTINATION ${ORTC_CMAKE_DIR} COMPONENT development)

# ${pcfiledir} is the folder that the .pc file lies in, wherever that is.
file(RELATIVE_PATH ORTC_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" ORTC_PC_PREFIX "\${pcfiledir}/${ORTC_PC_PREFIX}")
list(TRANSFORM ORTC_STATIC_NEEDS PREPEND "-l" OUTPUT_VARIABLE ORTC_PC_PRIVATE)
list(JOIN ORTC_PC_PRIVATE " " ORTC_PC_PRIVATE)
foreach(name ort_c ort_c-onnxruntime libonnxruntime-ortc)
  configure_file(packaging/${name}.pc.in ${ORTC_PACKAGING}/${name}.pc @ONLY)
  install(FILES ${ORTC_PACKAGING}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endforeach()

include(packaging/notices.cmake)
install(FILES LICENSE ${ORTC_PACKAGING}/THIRD-PARTY-NOTICES DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT runtime)

# The tool finds the library beside it; other programs ask the system's linker.
install(CODE [[
  if(NOT DEFINED ENV{DESTDIR})
    message(STATUS "Programs find the library after 'ldconfig', as root, where ${CMAKE_INSTALL_PREFIX} is on the linker's path")
  endif()
]] COMPONENT tools)

include(packaging/packages.cmake)
