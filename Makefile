# ortc: every command a developer or a CI machine needs. On Debian 12 each installs what it lacks.
#
#   make build     the library and the command line, in build/
#   make demo      compile, inspect and run a small network, then compare loading times
#   make test      everything above and all tests
#   make check     the same tests under AddressSanitizer, UBSan and ThreadSanitizer; the fuzzers and
#                  what they reach; emulated processors
#   make bench     loading, memory and latency beside ONNX Runtime; ROWS="load latency.vit" for some
#   make install   to PREFIX, as root usually (default /usr/local)
#   make format    clang-format over all sources
#   make clean

SHELL := /bin/bash
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
ROWS ?=
BUILD := build
# ccache sees through precompiled headers with these.
export CCACHE_SLOPPINESS ?= pch_defines,time_macros

.PHONY: build demo test check bench install format clean

build:
	tools/install_packages.sh build
	cmake -G Ninja -S . -B $(BUILD) -DORTC_BUILD_TESTS=OFF -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	cmake --build $(BUILD) --parallel $(JOBS) --target ort_c ortc_tool onnxruntime_shim

demo: build
	tools/install_packages.sh models
	demo/run.sh

test:
	tools/install_packages.sh build test models
	cmake -G Ninja -S . -B $(BUILD) -DORTC_BUILD_TESTS=ON -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	cmake --build $(BUILD) --parallel $(JOBS)
	mkdir -p $(BUILD)/test
	cd $(BUILD) && ctest -j2 --output-on-failure --output-junit test/ctest.xml

check: test
	tools/install_packages.sh check
	tools/check.sh asan tsan fuzz coverage cpus arm

bench: build
	tools/install_packages.sh models
	cmake --build $(BUILD) --parallel $(JOBS) --target bench_driver
	bench/run $(ROWS)

install: build
	cmake --install $(BUILD)

format:
	git ls-files '*.h' '*.c' '*.cc' | xargs clang-format -i

clean:
	rm -rf $(BUILD)
