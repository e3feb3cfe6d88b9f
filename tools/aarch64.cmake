# SPDX-License-Identifier: MIT
# Cross builds for aarch64 with Debian's compiler; ORTC_SYSROOT is what tools/arm_libraries.sh made.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ORTC_SYSROOT)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${ORTC_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${ORTC_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
set(ORTC_ARM_LIBRARIES ${ORTC_SYSROOT}/usr/lib/aarch64-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${ORTC_ARM_LIBRARIES} -Wl,-rpath-link,${ORTC_ARM_LIBRARIES}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-L${ORTC_ARM_LIBRARIES}")
