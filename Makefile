# The commands of the README. `make run` and `make test` work on a fresh clone: missing packages are
# installed first (scripts/deps.sh). The build itself is CMake's; its log is shown only when it fails.
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
WERROR ?= OFF
SECONDS_EACH ?= 60

CMAKE_FLAGS = -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DHEDDLE_WERROR=$(WERROR)

.PHONY: all help deps build run test test-long test-sanitized test-threads check fuzz bench install deb ci clean

all: build

help:
	@echo 'make run        build, then show what heddle does on a bundled example'
	@echo 'make test       build, then run the test suite (test-long: the whole of it)'
	@echo 'make test-sanitized  the suite under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make test-threads    the unit tests under ThreadSanitizer; takes most of an hour'
	@echo 'make check      the house checks: format, sizes, includes, symbols, documents'
	@echo 'make fuzz       fuzz the readers, SECONDS_EACH=60 for each target'
	@echo 'make bench      build and run the benchmarks'
	@echo 'make install    install under PREFIX=$(PREFIX)'
	@echo 'make deb        build a Debian package in build-deb/'
	@echo 'make ci         all that a change must pass (.ci/run)'

deps:
	@scripts/deps.sh

build: deps
	@scripts/build.sh $(BUILD) $(JOBS) $(CMAKE_FLAGS)

run: build
	@scripts/run-example.sh $(BUILD)/heddle

test: build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) -LE long

test-long: build
	@HEDDLE_TEST_LONG=1 ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

test-sanitized: deps
	@scripts/sanitized.sh $(JOBS)

test-threads: deps
	@scripts/threads.sh $(JOBS) all

check: build
	@scripts/check.sh $(BUILD)

fuzz: deps
	@scripts/fuzz.sh $(SECONDS_EACH)

bench: build
	@bench/run.sh $(BUILD)

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

# A build folder of its own: the prefix /usr decides where Debian's libraries go.
deb: deps
	@scripts/build.sh build-deb $(JOBS) -DCMAKE_INSTALL_PREFIX=/usr -DHEDDLE_WERROR=$(WERROR) \
		-DHEDDLE_TESTS=OFF
	@cd build-deb && cpack -G DEB >cpack.log 2>&1 || { cat cpack.log; exit 1; }
	@ls build-deb/*.deb

ci:
	@.ci/run

clean:
	rm -rf $(BUILD) build-asan build-tsan build-fuzz build-deb build-ci
