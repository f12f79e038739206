# lightd. `make demo` and `make test` work on a fresh Debian 12 with a Swift 6.3 toolchain.

SWIFT  ?= $(shell command -v swift 2>/dev/null || echo /opt/swift/usr/bin/swift)
JOBS   ?= $(shell nproc)
SWIFT_BUILD = $(SWIFT) build -j $(JOBS)
PREFIX ?= /usr/local
BUILD  := .build
# Nothing looks up the programs' own symbols at run time; exporting them all costs 4 MB each. The programs look for no
# library beside themselves, and do not contain where they were built, so that two builds of one commit are the same bytes.
RELEASE = -c release --static-swift-stdlib --disable-local-rpath -Xlinker --no-export-dynamic \
  -Xswiftc -file-prefix-map -Xswiftc "$(CURDIR)=." \
  -Xcc "-ffile-prefix-map=$(CURDIR)=." -Xcxx "-ffile-prefix-map=$(CURDIR)=."
# Static libraries that objects do not name which were compiled for the shared ones.
UNNAMED := CoreFoundation _FoundationICU _FoundationCShims _FoundationCollections swiftSynchronization
# How long 'make chaos' runs.
SECONDS ?= 600

# Packages for the build, and those that the tests need in addition.
BUILD_PACKAGES := libcurl4-openssl-dev libavahi-compat-libdnssd-dev libsqlite3-dev libqrencode-dev libmosquitto-dev zlib1g-dev
TEST_PACKAGES  := mosquitto mosquitto-clients avahi-daemon avahi-utils dbus iproute2 util-linux curl jq openssl python3 python3-venv zsh fish groff \
  openssh-client openssh-server prometheus
# What the installed programs load, and the daemon that finds bridges.
RUNTIME_PACKAGES := libcurl4 libavahi-compat-libdnssd1 libsqlite3-0 libqrencode4 zlib1g libmosquitto1 avahi-daemon
# What makes the home in a box.
SYSTEM_PACKAGES := debootstrap systemd-container e2fsprogs iproute2 util-linux curl python3 python3-venv
# The browser of the tests of the page, and letters for it; the first one also for its screenshots and benchmark.
BROWSER_PACKAGES := chromium chromium-headless-shell fonts-noto-core node-typescript

.DEFAULT_GOAL := help
.PHONY: help demo demo-stop build-tests unit test system-test chaos durability fuzz sanitize build release bench man screenshots
.PHONY: home-assistant install uninstall deb deb-check tarball format lint clean
.PHONY: toolchain build-packages demo-packages test-packages system-packages

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

toolchain:
	@"$(SWIFT)" --version >/dev/null 2>&1 || { \
	  echo "no Swift toolchain found: install Swift 6.3 from https://www.swift.org/install/linux/," \
	    "put its usr/bin in PATH, or call make SWIFT=/path/to/swift" >&2; \
	  exit 1; }

build-packages:
	@scripts/install-packages $(BUILD_PACKAGES)

test-packages:
	@scripts/install-packages $(BUILD_PACKAGES) $(TEST_PACKAGES) $(BROWSER_PACKAGES)

demo: toolchain demo-packages ## install packages, build, and start a simulated home to play with; MQTT=1: on a broker, too
	$(SWIFT_BUILD) --product lightd
	$(SWIFT_BUILD) --product lightctl
	$(SWIFT_BUILD) --product lightsim
	@MQTT=$(MQTT) scripts/demo start

demo-packages:
	@scripts/install-packages $(BUILD_PACKAGES) curl $(if $(MQTT),mosquitto mosquitto-clients)

demo-stop: ## stop the simulated home
	@scripts/demo stop

build-tests: toolchain build-packages ## build everything with the tests; scripts/run-tests --filter NAME runs some
	$(SWIFT_BUILD) --build-tests

unit: build-tests ## build, and run the tests that only compute: no root, no avahi, no browser, no network
	@LANES='laws domain' scripts/run-tests

test: toolchain test-packages build-tests ## install packages, build, and run all tests
	@scripts/run-tests

system-packages:
	@scripts/install-packages $(SYSTEM_PACKAGES)

system-test: system-packages ## install the Debian packages in a home in a box of three hosts, and break things there (needs root)
	@scripts/system-test

home-assistant: toolchain test-packages build ## run the real Home Assistant beside lightd, both paired with a simulated bridge
	@scripts/home-assistant

chaos: test-packages build-tests ## run lightd for ten minutes (SECONDS=600) against every kind of fault (docs/gateway.md)
	LIGHTD_TEST_CHAOS_SECONDS=$(SECONDS) $(SWIFT) test --skip-build --no-parallel --filter ChaosTests

durability: test-packages build-tests ## kill lightd 200 times while it writes (docs/gateway.md)
	LIGHTD_TEST_KILLS=200 $(SWIFT) test --skip-build --no-parallel --filter DurabilityTests

fuzz: build-tests ## feed damaged input to every parser, each for FUZZ_SECONDS (ten minutes)
	@scripts/fuzz

sanitize: toolchain test-packages ## run the tests under ThreadSanitizer and AddressSanitizer, each with a build of its own
	@SWIFT="$(SWIFT)" scripts/sanitize thread
	@SWIFT="$(SWIFT)" scripts/sanitize address

build: toolchain build-packages ## build everything, for debugging
	$(SWIFT_BUILD)

release: toolchain build-packages ## build the three programs for use, with Swift's libraries linked in
	$(SWIFT_BUILD) $(RELEASE) --product lightd
	$(SWIFT_BUILD) $(RELEASE) --product lightctl
	$(SWIFT_BUILD) $(RELEASE) --product lightsim

# For 'make deb CONFIGURATION=debug', which packs what 'make test' has built, for the home in a box. Only linked once more, with
# Swift's libraries, and apart: a build with --static-swift-stdlib would leave objects that later ones cannot link.
.PHONY: debug-programs
debug-programs: build
	@mkdir -p $(BUILD)/debug-programs
	for program in lightd lightctl lightsim; do \
	  "$(SWIFT)c" -static-stdlib -emit-executable -o $(BUILD)/debug-programs/$$program \
	    @$(BUILD)/debug/$$program.product/Objects.LinkFileList -lstdc++ -Xlinker --no-export-dynamic \
	    -Xlinker --defsym -Xlinker main=$${program}_main $(addprefix -Xlinker -l,$(UNNAMED)) || exit; \
	done

bench: toolchain ## measure lightsim, and lightd against it, in comparison with other software (docs/performance.md)
	@scripts/install-packages $(BUILD_PACKAGES) wrk curl openssl mosquitto mosquitto-clients iproute2 util-linux python3 python3-venv \
	  $(BROWSER_PACKAGES)
	$(SWIFT_BUILD) $(RELEASE) --product lightd
	$(SWIFT_BUILD) $(RELEASE) --product lightctl
	$(SWIFT_BUILD) $(RELEASE) --product lightsim
	@scripts/interop --furnish
	@scripts/browser --furnish
	@Benchmarks/lightsim
	@Benchmarks/lightctl
	@Benchmarks/automation
	@Benchmarks/mqtt
	@Benchmarks/sites
	@Benchmarks/frugality
	@Benchmarks/bounds
	@Benchmarks/gateway
	@Benchmarks/readers
	@Benchmarks/hostile
	@Benchmarks/page

man: toolchain build-packages ## make docs/man again, after a change of a program's options or of lightd.yaml
	$(SWIFT_BUILD)
	@scripts/man-pages $(BUILD)/debug

screenshots: toolchain build-packages ## make docs/page-*.png again, after a change of the page's looks
	@scripts/install-packages iproute2 util-linux python3 python3-venv $(BROWSER_PACKAGES)
	$(SWIFT_BUILD)
	@scripts/screenshots $(BUILD)/debug

deb: toolchain ## build the Debian packages of lightd and lightsim into .build/packages
	@scripts/install-packages $(BUILD_PACKAGES) debhelper
	@scripts/packages deb

deb-check: deb ## build the Debian packages, and check them, also by installing them in a new Debian 12 (as root)
	@scripts/check-packages
	@scripts/check-chroot

tarball: release ## build the tarball for systems without dpkg into .build/packages
	@scripts/packages tarball

install: ## install the release build and the systemd service (as root, or with sudo)
	@[ -n "$(DESTDIR)" ] || scripts/install-packages $(RUNTIME_PACKAGES)
	@stage=$$(mktemp -d) && trap 'rm -rf "$$stage"' EXIT && scripts/stage $(BUILD)/release "$$stage" && \
	  DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" scripts/install "$$stage"

uninstall: ## remove the programs and the service; keep the configuration and the state
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" scripts/install --remove

format: toolchain ## format all Swift files in place
	$(SWIFT) format format --in-place --configuration .swift-format --recursive Package.swift Sources Tests

lint: toolchain ## check the formatting
	$(SWIFT) format lint --strict --configuration .swift-format --recursive Package.swift Sources Tests

clean: ## remove the build directory
	rm -rf $(BUILD)
