# ortc: every command a developer or a CI machine needs. On Debian 12 each installs what it lacks.
#
#   make build     the library and the command line, in build/
#   make demo      compile, inspect and run a small network, then compare loading times
#   make test      everything above and all tests
#   make test-bindings  the languages alone: C, C#, Go, Python, Rust
#   make check     the same tests under AddressSanitizer, UBSan and ThreadSanitizer; the fuzzers and
#                  what they reach; emulated processors
#   make bench     loading, memory and latency beside ONNX Runtime; ROWS="load latency.vit" for some,
#                  ROWS=bindings for what the languages cost, ROWS=operators for single operators,
#                  ROWS=real for networks that somebody trained
#   make package   Debian packages, in build/debian, tried in a root of their own
#   make install   to PREFIX, as root usually (default /usr/local); STATIC=ON for libort_c.a too
#   EXTRA=OFF      with any of these: without libort_c_extra.so (images, regular expressions)
#   make format    clang-format over all sources
#   make clean

SHELL := /bin/bash
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
STATIC ?= OFF
EXTRA ?= ON
ROWS ?=
BUILD := build
CONFIGURE = cmake -G Ninja -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) \
  -DORTC_BUILD_STATIC=$(STATIC) -DORTC_BUILD_EXTRA=$(EXTRA)
INSTALLED = ort_c ortc_tool onnxruntime_shim ortc_ep ep_weight_sharing_ctx_gen \
  $(if $(filter ON,$(EXTRA)),ort_c_extra)
# A machine that cannot have its packages builds without: CMake says what is left out.
INSTALL_EXTRA = $(if $(filter ON,$(EXTRA)),tools/install_packages.sh extra || true)
# ccache sees through precompiled headers with these.
export CCACHE_SLOPPINESS ?= pch_defines,time_macros

.PHONY: build demo test test-bindings check bench package install format clean

build:
	tools/install_packages.sh build
	$(INSTALL_EXTRA)
	$(CONFIGURE) -DORTC_BUILD_TESTS=OFF
	cmake --build $(BUILD) --parallel $(JOBS) --target $(INSTALLED) \
	  $(if $(filter ON,$(STATIC)),ort_c_static)

demo: build
	tools/install_packages.sh models
	demo/run.sh

test:
	tools/install_packages.sh build test models languages
	$(INSTALL_EXTRA)
	$(CONFIGURE) -DORTC_BUILD_TESTS=ON
	cmake --build $(BUILD) --parallel $(JOBS)
	mkdir -p $(BUILD)/test
	cd $(BUILD) && ctest -j2 --output-on-failure --output-junit test/ctest.xml
	tests/bindings/run.sh left-out

test-bindings:
	tools/install_packages.sh build test models languages
	$(INSTALL_EXTRA)
	$(CONFIGURE) -DORTC_BUILD_TESTS=ON
	cmake --build $(BUILD) --parallel $(JOBS) --target $(INSTALLED) recording_library virtual_npu \
	  device_memory test_operators
	cd $(BUILD) && ctest -j2 -R '^bindings_' --output-on-failure
	tests/bindings/run.sh left-out

check: test
	tools/install_packages.sh check
	tools/check.sh asan tsan fuzz coverage large differential valgrind cpus arm bindings walk

# Of the rows asked for, those of bench/run; and whether the bindings, single operators or trained
# networks are.
BENCH_ROWS = $(filter-out bindings operators real,$(ROWS))
bench: build $(if $(ROWS),$(filter test-bindings,$(ROWS:bindings=test-bindings)),test-bindings)
	tools/install_packages.sh models
	cmake --build $(BUILD) --parallel $(JOBS) --target bench_driver
	$(if $(ROWS),$(if $(BENCH_ROWS),bench/run $(BENCH_ROWS)),bench/run)
	$(if $(ROWS),$(if $(filter bindings,$(ROWS)),bench/bindings),bench/bindings)
	$(if $(filter operators,$(ROWS)),bench/operators)
	$(if $(filter real,$(ROWS)),bench/real)

package:
	tools/install_packages.sh package
	$(MAKE) build PREFIX=/usr STATIC=ON
	rm -rf $(BUILD)/debian
	cd $(BUILD) && cpack -G DEB
	packaging/check_packages.sh $(BUILD)/debian

install: build
	cmake --install $(BUILD)

format:
	git ls-files '*.h' '*.c' '*.cc' | xargs clang-format -i

clean:
	rm -rf $(BUILD)
