# Debian packages, by `make package`: libort-c1 has the library, libort-c1-extra what operators need beside it,
# libort-c-dev what programs are built with, ortc-tools the command line. Dependencies on other libraries are found by dpkg-shlibdeps.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ortc)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The ortc authors <ortc@localhost>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/debian)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development tools)
if(TARGET ort_c_extra)
  list(APPEND CPACK_COMPONENTS_ALL extra)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(ORTC_DEBIAN_VERSION ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libort-c1)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# Installed by default, and left out where six libraries for images and patterns are too many.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "libort-c1-extra (= ${ORTC_DEBIAN_VERSION})")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
"ortc runs ONNX models, compiles them ahead of time, and maps the compiled
ones when they are loaded. This package has the library, and beside it a
libonnxruntime.so.1 for programs that were built for ONNX Runtime, and
libortc_ep.so, which an ONNX Runtime of its own loads as a provider.")

set(CPACK_DEBIAN_EXTRA_PACKAGE_NAME libort-c1-extra)
set(CPACK_DEBIAN_EXTRA_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_EXTRA_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_EXTRA_PACKAGE_DEPENDS "libort-c1 (= ${ORTC_DEBIAN_VERSION})")
set(CPACK_COMPONENT_EXTRA_DESCRIPTION
"This package has libort_c_extra.so, which ortc loads for models with images
or regular expressions in them: ImageDecoder, RegexFullMatch, Tokenizer, and
pictures as inputs of the command ortc.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libort-c-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libort-c1 (= ${ORTC_DEBIAN_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS
    "libprotobuf-c-dev, libuv1-dev, libzstd-dev, libxxhash-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"This package has what C and C++ programs that use ortc are built with:
headers, the archive, and what pkg-config and CMake need. Programs that are
linked to the archive need the suggested packages as well.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME ortc-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libort-c1 (= ${ORTC_DEBIAN_VERSION})")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
"This package has the command ortc, which compiles, inspects and runs models,
and ep_weight_sharing_ctx_gen, which takes the command line that ONNX
Runtime's tool of that name had.")

# Each package has a folder of its own for its licence; only packages have these.
set(ORTC_PAIRS runtime:libort-c1 development:libort-c-dev tools:ortc-tools)
if(TARGET ort_c_extra)
  list(APPEND ORTC_PAIRS extra:libort-c1-extra)
endif()
foreach(pair ${ORTC_PAIRS})
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
