# Every target says what it does: `make` lists them. The work itself is in npm scripts and in `land-lookup` commands.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

# The Node.js that deploy/install-node fetched, if it did; else the machine's. NODE=22 or NODE=24 asks for that one.
export PATH := $(CURDIR)/.node/bin:$(PATH)
named_node := $(filter 22 24,$(NODE))

CLI := node dist/src/main.js
# Node.js 22 knows no "using", so it runs the sources through tsx; what is compiled has none.
from_sources = NODE_OPTIONS="$$(node -p 'process.versions.node.startsWith("22.") ? "--import file://$(CURDIR)/node_modules/tsx/dist/loader.mjs" : ""')"
sources := $(shell find src workers test -name '*.ts')

# Every target here is a task, but for node_modules and dist.
.PHONY: $(shell sed -nE 's/^([a-z-]+):.*/\1/p' $(firstword $(MAKEFILE_LIST)))

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 20

run: build ## Set everything up, import the bundled sample if there is no data yet, and serve with a demonstration key
	$(CLI) demo

test: setup-test ## Set everything up and run the tests; `npm test` runs those of pure functions alone
	$(from_sources) npm run test:all

test-real: setup-test ## Compare answers with independent computations on the real extracts (skipped when they are absent)
	$(from_sources) npm run test:real

check: setup-test ## What CI runs: types, lint, format, tests, real-data tests
	npm run test:static
	$(MAKE) test
	$(MAKE) test-real

format: node_modules/.package-lock.json ## Format every file
	npm run format

build: setup dist/.built ## Compile to dist/

load-layers: build ## Import layers: ARGS="--from DIR" (see docs/importing.md)
	$(CLI) load-layers $(ARGS)

load-addresses: build ## Import the address register: ARGS="--from DIR|ZIP|URL"
	$(CLI) load-addresses $(ARGS)

bench: setup-test ## Print the benchmark tables
	$(from_sources) npm run bench

bench-import: setup-test dist/.built ## Import a layer of 1,000,000 polygons with 60 million vertices: minutes and memory (FEATURES=N)
	node dist/test/bench/large-import.js

bench-cells: setup-test dist/.built ## The cell index on a synthetic province (SCALE=1 is 1.2 million features; default 0.1)
	node dist/test/bench/cells.js

bench-scales: setup-test dist/.built ## A lookup on provinces of two sizes in turns (PROVINCE_DIR, LARGER_PROVINCE_DIR; built where they are not)
	node dist/test/bench/scales.js

bench-postgis: setup-test dist/.built ## The cell index beside PostGIS on the same synthetic province (SCALE, PROVINCE_DIR; says what to install)
	node dist/test/bench/postgis.js

bench-http: setup-test dist/.built ## Requests per second against a bare Express route
	$(from_sources) node test/bench/http.ts

bench-journal: setup-test ## What the usage journal costs: lookups per second with it and without
	$(from_sources) node test/bench/journal.ts

bench-keys: setup-test ## Look-ups among 100,000 keys, in SQLite and in Redis (KEYS=N)
	$(from_sources) node test/bench/keys.ts

geocoder-report: setup-test dist/.built ## How good and how fast the geocoder is on real addresses (skipped when they are absent)
	node dist/test/bench/geocoder-report.js

fuzz-geocoder: setup-test dist/.built ## A million odd inputs for the geocoder: no error, no wait, no accidental answer (INPUTS=N SEED=N)
	node dist/test/stress/fuzz-geocoder.js

large-register: setup-test dist/.built ## Import and ask an address register of Ontario's size, made from the real extract (ROWS=N)
	node dist/test/bench/large-register.js

stress-threads: setup-test dist/.built ## 500 process starts with three busy GDAL threads each (STARTS=N for another count)
	node dist/test/stress/threads.js

stress-thread-rules: setup-test dist/.built ## Which rules of decision 0002 this Node.js needs: each left out in turn (STARTS=60)
	node dist/test/stress/thread-rules.js

install: build ## Install for the whole machine: sudo make install (docs/operations.md)
	deploy/install

uninstall: ## Remove program and units; data and configuration stay
	deploy/uninstall

stress-quota: setup-test ## Four processes, one Redis, twenty keys: exact limits, also over a restart of Redis
	$(from_sources) node test/stress/quota.ts

stress-import: setup-test ## Kill an import from an unwell server 20 times and compare it with one of the files (KILLS=N; skipped without real data)
	$(from_sources) node test/stress/import.ts

stress-billing: setup-test ## Kill the server 50 times under load and hold answers against meter events (KILLS=N)
	$(from_sources) node test/stress/billing.ts

stress-redis: setup-test ## Redis killed, frozen, paused and full under load: codes and latencies of the requests (FAULT_S=N)
	$(from_sources) node test/stress/redis-faults.ts

fuzz-http: setup-test ## 200,000 malformed requests: only errors of the table, no crash, no growth (REQUESTS=N SEED=N)
	$(from_sources) node test/stress/fuzz-http.ts

stress-swap: setup-test dist/.built ## Swaps, bad snapshots, crashes, Redis restarts and an import under steady load (DURATION=180 RATE=200)
	node dist/test/stress/swap.js

stress-overload: setup-test dist/.built ## Three times the capacity, alone and behind HAProxy: throughput, latency, refusals, recovery (DURATION=20)
	node dist/test/stress/overload.js

soak: setup-test dist/.built ## Memory slope, descriptors and threads of a server under steady load (MINUTES=30 RATE=100)
	node dist/test/stress/soak.js

setup: ## Install what is missing: system packages, Node.js, npm packages, the GDAL binding
	deploy/install-packages run
	deploy/install-node $(named_node)
	@$(MAKE) --no-print-directory node_modules/.package-lock.json
	deploy/build-gdal

setup-test: setup ## Also what the tests need: GDAL's programs, Redis, a browser
	deploy/install-packages test

node_modules/.package-lock.json: package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

dist/.built: $(sources) tsconfig.json node_modules/.package-lock.json
	npm run build
	@touch $@
