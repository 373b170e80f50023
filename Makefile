# Jackstay's tasks. `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# Every Debian package that building, running and testing need, in this one place; a bare root has no `make` besides.
# The first line is what Swift's own toolchain needs.
DEBIAN_PACKAGES := ca-certificates g++ git libcurl4-openssl-dev libncurses6 libsqlite3-0 libxml2 \
  ableton-link-dev ableton-link-utils jack-midi-clock jackd2 klick libasio-dev libjack-jackd2-dev \
  libmicrohttpd-dev libqrencode-dev pipewire pipewire-jack pkg-config tmux
# From Debian 13 on jack_lsp and the other tools of jackd2 are in a package of their own.
ifeq ($(filter bookworm bullseye jammy,$(shell . /etc/os-release && echo $$VERSION_CODENAME)),)
DEBIAN_PACKAGES += jack-example-tools
endif
# And what `make test-apps` needs besides: programs that are heard.
APP_PACKAGES := ardour hydrogen
# What `make test-panel` needs besides: a browser, and letters for it.
PANEL_PACKAGES := chromium fonts-dejavu-core
# What `make deb`, `make test-deb` and `make test-tarball` need besides, and `make lint` for the RPM's recipe.
DEB_PACKAGES := debootstrap dpkg-dev lintian rpm

# What `make run` hands to the program, for example: make run FLAGS="--tempo 128 --meter 3/4"
FLAGS ?=
# Which groups of figures `make bench` measures, for example: make bench FIGURES="accuracy launch"
FIGURES ?=
# What `make test` hands to the test runner, for example: make test TESTS="--filter TEMPO-2"
TESTS ?=

# Which groups of programs `make test-apps` hears, and "--keep" to write nothing down, for example:
# make test-apps APPS="--keep ardour"
APPS ?=

# How many inputs `make fuzz` tries on each parser, on a slow one fewer: made at random, and led by which code they
# reach, which takes thirty times as long. And where their sequence begins.
INPUTS ?= 1000000
GUIDED_INPUTS ?= 50000
SEED ?= 1
# How many hours `make simulate` simulates, from the history of SEED on.
HOURS ?= 200
# How many places `make mutate` changes, in the files whose paths the expression IN matches (in all, if it is empty), and
# how many changes are judged at a time.
N ?= 100
IN ?=
JOBS ?= $(shell nproc)

# Where `make install` puts things; DESTDIR is put before that, for packages.
PREFIX ?= /usr/local
DESTDIR ?=

# Which Link is compiled in: 4 for the source that `make link4` gets, debian for Debian's package. Without a choice it is
# Debian's, but for a Debian package that is built where that source is. For example: make run LINK=4
LINK ?=
LINK4 := $(CURDIR)/.build/link4
LINK4_HEADER := $(LINK4)/include/ableton/LinkAudio.hpp
# Package.swift reads this.
ifeq ($(LINK),4)
export ABLETON_LINK_SOURCE := $(LINK4)
setup: $(LINK4_HEADER)
else ifeq ($(LINK),debian)
unexport ABLETON_LINK_SOURCE
else ifneq ($(LINK),)
$(error LINK is 4 or debian, not "$(LINK)")
else ifneq ($(wildcard $(LINK4_HEADER)),)
deb: export ABLETON_LINK_SOURCE ?= $(LINK4)
endif

SOURCES := Package.swift Sources Tests Benchmarks
ROOT := $(if $(filter 0,$(shell id -u)),,sudo)
# Calls from one module into another are inlined only where the compiler is let look into all of them at once, which is
# a twelfth of a callback's time, and no longer a build.
OPTIMIZED := swift build -c release -Xswiftc -cross-module-optimization
FUZZ := swift build -c release --product fuzz
CHECKED := -fsanitize=fuzzer-no-link,address
GUIDED := $(FUZZ) --scratch-path .build/fuzz -Xswiftc -sanitize=fuzzer,address -Xswiftc -DCOVERAGE_GUIDED \
  -Xcc $(CHECKED) -Xcxx $(CHECKED)
# The program as it is run, installed and packed: it has Swift's library in itself, and needs no toolchain.
PROGRAM := .build/jackstay
STATIC := $(OPTIMIZED) --product jackstay --static-swift-stdlib --scratch-path .build/static
# A simulated cycle is all accesses to one object's state: asking of each whether it is the only one doubles the time.
# The tests, which simulate, too, ask it.
SIMULATE := $(OPTIMIZED) --product simulate --scratch-path .build/simulate -Xswiftc -enforce-exclusivity=unchecked

.PHONY: help setup link4 build install uninstall deb tarball dist test-deb test-tarball run test test-rough flakes test-apps \
  test-panel simulate transcripts mutate recordings sanitize sanitize-pure lint docs check bench fuzz clean

help:  ## List the tasks
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/make \1\t\2/' | expand -t 19

setup:  ## Install the Debian packages that are missing; on another system nothing is installed
	@command -v dpkg-query > /dev/null || exit 0; \
	missing=$$(for package in $(DEBIAN_PACKAGES); do \
	  dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || echo $$package; done); \
	if [ -n "$$missing" ]; then \
	  echo "installing" $$missing; \
	  $(ROOT) apt-get update -qq && \
	  $(ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing; \
	fi

link4: $(LINK4_HEADER)  ## Get the source of Link 4.0 into .build; LINK=4 builds, tests and packages with it

$(LINK4_HEADER):
	Scripts/get-link4 $(LINK4)

build: setup  ## Build the program, optimised, as .build/jackstay
	$(STATIC)
	@strip --strip-unneeded -o $(PROGRAM).new "$$($(STATIC) --show-bin-path)/jackstay" && mv -f $(PROGRAM).new $(PROGRAM)

install:  ## Install what `make build` has built, with pages, completions and service, below PREFIX (and DESTDIR)
	@[ -x $(PROGRAM) ] || { echo "There is nothing to install yet. Run: make build" >&2; exit 1; }
	Scripts/install-files "$(DESTDIR)" "$(PREFIX)" $(PROGRAM)

uninstall:  ## Take away what install has put below PREFIX (and DESTDIR)
	Scripts/install-files --remove "$(DESTDIR)" "$(PREFIX)" jackstay

deb:  ## Build a Debian package into .build, that needs no Swift where it is installed
	@$(MAKE) --no-print-directory build DEBIAN_PACKAGES="$(DEBIAN_PACKAGES) $(DEB_PACKAGES)"
	Scripts/build-deb $(PROGRAM)

tarball: build  ## Build an archive into .build, with a script that installs it, for other distributions
	Scripts/build-tarball $(PROGRAM)

dist: deb tarball  ## Build the Debian package and the archive, and put them into .build/dist with their checksums
	Scripts/gather-packages

test-deb: deb  ## Install the Debian package in bare Debians 12 and 13, bridge jackd and PipeWire there, and remove it
	Scripts/test-package "$$(ls -t .build/jackstay_*.deb | head -n 1)"

test-tarball: deb tarball  ## The same with the archive
	Scripts/test-package "$$(ls -t .build/jackstay-*.tar.gz | head -n 1)"

run: build  ## Bridge the running JACK server, or a private one, to the Link session
	@exec Scripts/with-jack $(PROGRAM) $(FLAGS)

test: setup  ## Run all tests
	swift build --build-tests -Xswiftc -warnings-as-errors
	"$$(swift build --show-bin-path)/testrunner" $(TESTS)

test-rough: setup  ## Run all tests while a thief takes 15 % of each core away, by real-time priority
	swift build --build-tests -Xswiftc -warnings-as-errors
	"$$(swift build --show-bin-path)/testrunner" --rough $(TESTS)

flakes:  ## Print how often which test on a real server has failed in the runs of `make test` here, and was forgiven
	@"$$(swift build --show-bin-path)/testrunner" --flakes

test-apps:  ## Hear Ardour, Hydrogen, klick and others beside LinkHut, and rewrite the guide's table (10 minutes)
	@$(MAKE) --no-print-directory setup DEBIAN_PACKAGES="$(DEBIAN_PACKAGES) $(APP_PACKAGES)"
	swift build --product judge -Xswiftc -warnings-as-errors
	"$$(swift build --show-bin-path)/judge" $(APPS)

test-panel:  ## Use the panel in a real browser, Chromium, which it installs; PICTURES=FOLDER keeps what is seen
	@$(MAKE) --no-print-directory setup DEBIAN_PACKAGES="$(DEBIAN_PACKAGES) $(PANEL_PACKAGES)"
	swift build --build-tests -Xswiftc -warnings-as-errors
	$(if $(PICTURES),JACKSTAY_PICTURES="$(abspath $(PICTURES))" )"$$(swift build --show-bin-path)/testrunner" --filter BrowserTests

simulate: setup  ## Run the bridge for HOURS simulated hours from SEED on, and check every cycle
	$(SIMULATE)
	$$($(SIMULATE) --show-bin-path)/simulate --hours $(HOURS) --seed $(SEED)

transcripts: setup  ## Write what happens in the kept histories into them, to be read before it is committed
	$(SIMULATE)
	$$($(SIMULATE) --show-bin-path)/simulate --record $(addprefix Tests/Unit/SimulationTests/,Histories/*.txt Scenes/*.txt)

sanitize: setup  ## Run all tests with ThreadSanitizer, then with AddressSanitizer
	Scripts/test-sanitized thread $(TESTS)
	Scripts/test-sanitized address $(TESTS)

sanitize-pure: TESTS := --pure
sanitize-pure: sanitize  ## Simulate, and try odd inputs, with ThreadSanitizer, then with AddressSanitizer (4 minutes)

# The toolchain's own swift-syntax.
SYNTAX = $(dir $(realpath $(shell command -v swiftc)))../lib/swift/host
mutate: HOURS := 50
mutate: setup  ## Change what the program decides in N places, one at a time, and list the changes that nothing detects
	mkdir -p .build/mutants
	swiftc -O -swift-version 6 -warnings-as-errors -parse-as-library -I $(SYNTAX) -L $(SYNTAX) -lSwiftSyntax -lSwiftParser \
	  -lSwiftOperators -lSwiftDiagnostics -Xlinker -rpath=$(SYNTAX) Tests/Tools/Mutate/*.swift -o .build/mutants/mutate
	.build/mutants/mutate $(N) $(SEED) $(HOURS) $(JOBS) '$(IN)'

recordings: setup  ## Record anew, for the tests, what the transports of the servers that are installed here do (5 minutes)
	swift build --product transportrecorder -Xswiftc -warnings-as-errors
	for server in jackd pipewire; do Scripts/record-transport \
	  "$$(swift build --show-bin-path)/transportrecorder" $$server Tests/Unit/SimulationTests/Recordings/Transport || exit 1; done

lint:  ## Check the format of every Swift file, scripts, recipes for packages, and words of documents, comments and titles
	swift format lint --strict --recursive $(SOURCES)
	Scripts/check-recipes
	Scripts/check-words

docs: setup  ## Build the guide and the libraries' documentation into .build/documentation
	Scripts/build-documentation

check: lint docs test simulate sanitize  ## Everything a change has to pass

bench: setup  ## Measure what is promised, or FIGURES of it, on a real server with a real peer (an hour or two)
	$(OPTIMIZED)
	$$($(OPTIMIZED) --show-bin-path)/acceptance $(FIGURES)

fuzz: setup  ## Try INPUTS odd inputs, from SEED on, on all that bytes from outside reach (half an hour)
	$(FUZZ)
	@program=$$($(FUZZ) --show-bin-path)/fuzz; \
	for target in $$($$program); do $$program $$target $(INPUTS) $(SEED) || exit 1; done
	$(GUIDED)
	@# Swift's own report of a crash would be in the way of libFuzzer's. What C++ keeps for ever is no leak of ours.
	@export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0; program=$$($(GUIDED) --show-bin-path)/fuzz; \
	for target in $$($$program); do $$program $$target $(GUIDED_INPUTS) $(SEED) 2> .build/fuzz/$$target.log \
	  || { tail -n 60 .build/fuzz/$$target.log; exit 1; }; done

clean:  ## Remove what was built
	@# Other Debians' files there are root's.
	@[ ! -e .build/debian ] || $(ROOT) rm -rf .build/debian
	rm -rf .build
