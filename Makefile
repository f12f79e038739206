# lightd. `make demo` and `make test` do everything on a fresh Debian 12 with a Swift 6.3 toolchain.

SWIFT ?= $(shell command -v swift 2>/dev/null || echo /opt/swift/usr/bin/swift)
JOBS  ?= $(shell nproc)
SUDO  := $(if $(filter 0,$(shell id -u)),,sudo)
PREFIX ?= /usr/local

# What the build needs, and what the tests run against.
BUILD_PACKAGES := libcurl4-openssl-dev libavahi-compat-libdnssd-dev libsqlite3-dev
TEST_PACKAGES  := avahi-daemon avahi-utils dbus iproute2 curl openssl

.DEFAULT_GOAL := help
.PHONY: help demo test build release install format lint clean toolchain build-packages test-packages

help: ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

toolchain:
	@"$(SWIFT)" --version >/dev/null 2>&1 || { \
	  echo "no Swift toolchain found: install Swift 6.3 from https://www.swift.org/install/linux/, put its usr/bin in PATH, or call make SWIFT=/path/to/swift" >&2; \
	  exit 1; }

build-packages:
	@scripts/install-packages $(BUILD_PACKAGES)

test-packages:
	@scripts/install-packages $(BUILD_PACKAGES) $(TEST_PACKAGES)

build: toolchain build-packages ## build everything, for debugging
	$(SWIFT) build -j $(JOBS)

test: toolchain test-packages ## install, build and run all tests
	$(SWIFT) build --build-tests -j $(JOBS)
	$(SWIFT) test --skip-build

format: toolchain ## format all Swift files in place
	$(SWIFT) format format --in-place --configuration .swift-format --recursive Package.swift Sources Tests

lint: toolchain ## complain about formatting
	$(SWIFT) format lint --strict --configuration .swift-format --recursive Package.swift Sources Tests

clean: ## remove what was built
	rm -rf .build
