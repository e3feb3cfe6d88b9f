# What `make install` puts where: library and headers, what finds them (pkg-config, CMake), the
# tool with its man page and completion, the licence. All of it can be moved as a whole.
include(CMakePackageConfigHelpers)
set(ORTC_PACKAGING ${CMAKE_BINARY_DIR}/packaging)
set(ORTC_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ort_c)

install(TARGETS ort_c EXPORT ort_cTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/ort_c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT ort_cTargets NAMESPACE ort_c:: DESTINATION ${ORTC_CMAKE_DIR})
configure_package_config_file(packaging/ort_cConfig.cmake.in ${ORTC_PACKAGING}/ort_cConfig.cmake
                              INSTALL_DESTINATION ${ORTC_CMAKE_DIR})
write_basic_package_version_file(${ORTC_PACKAGING}/ort_cConfigVersion.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${ORTC_PACKAGING}/ort_cConfig.cmake ${ORTC_PACKAGING}/ort_cConfigVersion.cmake
        DESTINATION ${ORTC_CMAKE_DIR})

# ${pcfiledir} is the folder that the .pc file lies in, wherever that is.
file(RELATIVE_PATH ORTC_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" ORTC_PC_PREFIX "\${pcfiledir}/${ORTC_PC_PREFIX}")
configure_file(packaging/ort_c.pc.in ${ORTC_PACKAGING}/ort_c.pc @ONLY)
install(FILES ${ORTC_PACKAGING}/ort_c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The tool finds the library beside it; other programs ask the system's linker.
install(CODE [[
  if(NOT DEFINED ENV{DESTDIR})
    message(STATUS "Programs find the library after 'ldconfig', as root, where ${CMAKE_INSTALL_PREFIX} is on the linker's path")
  endif()
]])
