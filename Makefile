# The two commands of the README: `make run` and `make test`. The build itself is CMake's.
BUILD ?= build
PREFIX ?= /usr/local

.PHONY: all deps build run test test-long install clean

all: build

deps:
	@scripts/deps.sh

build: deps
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_INSTALL_PREFIX=$(PREFIX) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@cmake --build $(BUILD) >>$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }

run: build
	@scripts/run-example.sh $(BUILD)/heddle

test: build
	@ctest --test-dir $(BUILD) --output-on-failure -j 2

test-long: build
	@HEDDLE_TEST_LONG=1 ctest --test-dir $(BUILD) --output-on-failure -j 2

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf $(BUILD) $(BUILD).log
