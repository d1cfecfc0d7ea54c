# Every target says what it does: `make` lists them. The work itself is in npm scripts and in `land-lookup` commands.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

# The Node.js that deploy/install-node fetched, otherwise the machine's. NODE=22 or NODE=24 chooses that version.
export PATH := $(CURDIR)/.node/bin:$(PATH)
named_node := $(filter 22 24,$(NODE))

CLI := node dist/src/main.js
sources := $(shell find src workers -name '*.ts') $(shell find web -type f)

# Every target here is a task, except node_modules and dist.
.PHONY: $(shell sed -nE 's/^([a-z-]+):.*/\1/p' $(firstword $(MAKEFILE_LIST)))

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 20

run: build ## Set everything up, import the bundled sample if there is no data yet, and serve with a demonstration key
	$(CLI) demo

test: setup-test dist/.built dist/modules/.built ## Set everything up and run the tests; CHANGED=1 runs those near what has changed (since HEAD, or SINCE=REV), FEATURES=NAME,NAME those of a service that has these features alone; `npm test` runs those of pure functions alone
	$(if $(CHANGED),test/run-phases changed,npm run test:all)

test-busy: setup-test dist/.built dist/modules/.built ## Run the tests beside two busy loops, as on a machine that has other work (BUSY_LOOPS=2)
	BUSY_LOOPS=$(or $(BUSY_LOOPS),2) npm run test:all

release: setup-test dist/.built dist/modules/.built ## Run what guards a release and takes minutes (docs/changing.md): PARTS="faults tests stress", FAULT=ID plants one fault
	deploy/install-packages release
	test/run-release

test-real: setup-test dist/.built dist/modules/.built ## Compare answers with independent computations on the real extracts (skipped when they are absent)
	npm run test:real

check: setup-test ## Check what CI checks: types, lint, format, tests, real-data tests
	npm run test:static
	$(MAKE) test
	$(MAKE) test-real

format: node_modules/.all ## Format every file
	npm run format

build: setup dist/.built ## Compile to dist/

load-layers: build ## Import layers: ARGS="--from DIR" (see docs/importing.md)
	$(CLI) load-layers $(ARGS)

load-addresses: build ## Import the address register: ARGS="--from DIR|ZIP|URL"
	$(CLI) load-addresses $(ARGS)

bench: setup-test dist/.built dist/modules/.built ## Say what can be measured, or measure it: NAME=http
	test/run-program bench $(NAME)

stress: setup-test dist/.built dist/modules/.built ## Say what can be loaded and broken on purpose, or do it: NAME=swap
	test/run-program stress $(NAME)

install: build ## Install for the whole machine, with: sudo make install (docs/operations.md)
	deploy/install

deb: setup-deb dist/.built ## Build dist/land-lookup_VERSION_amd64.deb for this Debian, or another (SUITE=bookworm or trixie; docs/operations.md)
	deploy/build-deb-for $(SUITE)

test-deb: setup-deb dist/.built dist/modules/.built ## Build the Debian package twice, compare the bytes, and check it with lintian
	npm run mocha:compiled -- 'dist/modules/test/package/*.test.js'

test-vm: setup-deb dist/.built dist/modules/.built ## Install the packages on booted machines, walk through docs/operations.md there and kill them (SUITE=bookworm or trixie MACHINE=container or emulated KILLS=2 RATE=200 MINUTES=20 CORES=2 FROM=package)
	deploy/install-packages vm
	for suite in $(or $(SUITE),bookworm trixie); do deploy/build-deb-for $$suite; SUITE=$$suite node dist/modules/test/machine/run.js; done

test-container: setup-deb dist/.built dist/modules/.built ## Build the container of deploy/Containerfile and run it
	deploy/install-packages container
	deploy/build-deb-for bookworm
	node dist/modules/test/machine/container.js

uninstall: ## Remove the program and the units; data and configuration stay
	deploy/uninstall

# The system's packages come while npm fetches its own; without curl, Node.js cannot be fetched before them.
setup: ## Install what is missing: system packages, Node.js, npm packages, the GDAL binding
	deploy/install-packages run & system=$$!; \
	{ command -v curl > /dev/null || wait $$system; } && deploy/install-node $(named_node) && $(MAKE) --no-print-directory $(packages) || { wait; exit 1; }; \
	wait $$system
	deploy/build-gdal

setup-deb:
	deploy/install-packages deb
	deploy/install-node 24
	@$(MAKE) --no-print-directory setup

# The packages of the tests come while npm fetches its own and the GDAL binding is compiled.
setup-test: ## Install also what the tests need: GDAL's programs, Redis, a browser
	deploy/install-packages run
	deploy/install-packages test & $(MAKE) --no-print-directory setup packages=node_modules/.all && wait $$!

# What only tests and checks use comes with the first of them, and stays. `npm ci` would delete the compiled gdal-async.
install := npm install --no-save --no-audit --no-fund
packages := node_modules/.run

node_modules/.run: package-lock.json
	$(install) $(if $(wildcard node_modules/mocha),,--omit=dev)
	@touch $@

node_modules/.all: package-lock.json
	$(install)
	@touch $@ node_modules/.run

dist/.built: $(sources) node_modules/.run
	npm run build
	@touch $@

dist/modules/.built: $(sources) $(shell find test -name '*.ts') tsconfig.json test/build.tsconfig.json node_modules/.all
	npm run build:tests
	@touch $@
