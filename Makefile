# Every target says what it does: `make` lists them. The work itself is in npm scripts and in `land-lookup` commands.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

# The Node.js that deploy/install-node fetched, otherwise the machine's. NODE=22 or NODE=24 chooses that version.
export PATH := $(CURDIR)/.node/bin:$(PATH)
named_node := $(filter 22 24,$(NODE))

CLI := node dist/src/main.js
# Node.js 22 does not know "using", so it runs the sources through tsx. The compiled files contain no "using".
from_sources = NODE_OPTIONS="$$(node -p 'process.versions.node.startsWith("22.") ? "--import file://$(CURDIR)/node_modules/tsx/dist/loader.mjs" : ""')"
sources := $(shell find src workers test -name '*.ts')

# Every target here is a task, except node_modules and dist.
.PHONY: $(shell sed -nE 's/^([a-z-]+):.*/\1/p' $(firstword $(MAKEFILE_LIST)))

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 20

run: build ## Set everything up, import the bundled sample if there is no data yet, and serve with a demonstration key
	$(CLI) demo

test: setup-test dist/.built ## Set everything up and run the tests; `npm test` runs those of pure functions alone
	npm run test:all

test-busy: setup-test dist/.built ## Run the tests beside two busy loops, as on a machine that has other work (BUSY_LOOPS=2)
	BUSY_LOOPS=$(or $(BUSY_LOOPS),2) npm run test:all

test-real: setup-test dist/.built ## Compare answers with independent computations on the real extracts (skipped when they are absent)
	npm run test:real

check: setup-test ## Check what CI checks: types, lint, format, tests, real-data tests
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

bench-import: setup-test dist/.built ## Measure the import of 1,000,000 polygons with 60 million vertices: minutes and memory (FEATURES=N)
	node dist/test/bench/large-import.js

bench-cells: setup-test dist/.built ## Measure the cell index on a synthetic province (SCALE=1 is 1.2 million features; default 0.1)
	node dist/test/bench/cells.js

bench-area: setup-test dist/.built ## Measure lookups of areas on a synthetic province (SCALE, PROVINCE_DIR)
	node dist/test/bench/area.js

bench-area-postgis: setup-test dist/.built ## Compare lookups of parcels with PostGIS on the same synthetic province (SCALE, PROVINCE_DIR; prints what to install)
	node dist/test/bench/area-postgis.js

bench-scales: setup-test dist/.built ## Measure a lookup on provinces of two sizes in turns (PROVINCE_DIR, LARGER_PROVINCE_DIR; built if missing)
	node dist/test/bench/scales.js

bench-postgis: setup-test dist/.built ## Compare the cell index with PostGIS on the same synthetic province (SCALE, PROVINCE_DIR; prints what to install)
	node dist/test/bench/postgis.js

bench-http: setup-test dist/.built ## Measure requests per second, compared with a bare Express route
	$(from_sources) node test/bench/http.ts

bench-waits: setup-test dist/.built ## Measure how long a person waits for an answer and its map on a synthetic province (SCALE, PROVINCE_DIR)
	node dist/test/page/bench-waits.js

bench-details: setup-test dist/.built ## Measure plain answers, answers with evidence and answers with a map over HTTP, in turns
	node dist/test/bench/details.js

bench-cores: setup-test dist/.built ## Measure lookups per second with more threads and more processes behind HAProxy
	node dist/test/bench/cores.js

bench-batch: setup-test dist/.built ## Measure a batch of 100,000 rows over HTTP, plain and full: seconds and memory (ROWS=N)
	node dist/test/bench/batch.js

bench-journal: setup-test ## Measure lookups per second with and without the usage journal
	$(from_sources) node test/bench/journal.ts

bench-keys: setup-test ## Measure look-ups among 100,000 keys, in SQLite and in Redis (KEYS=N)
	$(from_sources) node test/bench/keys.ts

bench-page: setup-test dist/.built ## Measure the page with Lighthouse as on a slow phone: the median of five visits
	$(from_sources) node test/bench/page.ts

geocoder-report: setup-test dist/.built ## Ask the geocoder questions with known answers, and measure it on real addresses (REGISTER=drawn, real or hold CLASS='A4' COUNT=N SAMPLES=N)
	node dist/test/bench/geocoder-report.js

fuzz-geocoder: setup-test dist/.built ## Send a million malformed addresses to the geocoder: no error, no delay, no accidental answer (INPUTS=N SEED=N)
	node dist/test/stress/fuzz-geocoder.js

bench-suggest: setup-test dist/.built ## Measure quality and speed of suggestions on the real extract and at Ontario's size (SHARE=0.1 for a tenth)
	node dist/test/bench/suggest.js

large-register: setup-test dist/.built ## Import and query an address register of Ontario's size, made from the real extract (ROWS=N)
	node dist/test/bench/large-register.js

stress-threads: setup-test dist/.built ## Start 500 processes with three busy GDAL threads each (STARTS=N)
	node dist/test/stress/threads.js

stress-thread-rules: setup-test dist/.built ## Find the rules of decision 0002 that this Node.js needs, by leaving out each in turn (STARTS=60)
	node dist/test/stress/thread-rules.js

install: build ## Install for the whole machine, with: sudo make install (docs/operations.md)
	deploy/install

deb: setup-deb dist/.built ## Build dist/land-lookup_VERSION_amd64.deb for this Debian, or another (SUITE=bookworm or trixie; docs/operations.md)
	deploy/build-deb-for $(SUITE)

test-deb: setup-deb dist/.built ## Build the Debian package twice, compare the bytes, and check it with lintian
	npm run mocha:compiled -- 'dist/test/package/*.test.js'

test-vm: setup-deb dist/.built ## Install the packages on booted machines, walk through docs/operations.md there and kill them (SUITE=bookworm or trixie MACHINE=container or emulated KILLS=2 RATE=200 MINUTES=20 CORES=2 FROM=package)
	deploy/install-packages vm
	for suite in $(or $(SUITE),bookworm trixie); do deploy/build-deb-for $$suite; SUITE=$$suite node dist/test/machine/run.js; done

test-container: setup-deb dist/.built ## Build the container of deploy/Containerfile and run it
	deploy/install-packages container
	deploy/build-deb-for bookworm
	node dist/test/machine/container.js

uninstall: ## Remove the program and the units; data and configuration stay
	deploy/uninstall

stress-quota: setup-test ## Check exact limits with four processes, one Redis and twenty keys, also over a restart of Redis
	$(from_sources) node test/stress/quota.ts

stress-import: setup-test ## Kill an import from a faulty server 20 times and compare the result with an import of the files (KILLS=N; skipped without real data)
	$(from_sources) node test/stress/import.ts

stress-billing: setup-test ## Kill the server 50 times under load and compare answers with meter events (KILLS=N)
	$(from_sources) node test/stress/billing.ts

stress-signup: setup-test ## Kill the server 50 times while people sign up, and compare keys with customers (KILLS=N SEED=N)
	$(from_sources) node test/stress/signup.ts

stress-redis: setup-test ## Kill, freeze, pause and fill Redis under load, and print codes and latencies of the requests (FAULT_S=N)
	$(from_sources) node test/stress/redis-faults.ts

fuzz-http: setup-test ## Send 200,000 malformed requests: only documented errors, no crash, no growth of memory (REQUESTS=N SEED=N)
	$(from_sources) node test/stress/fuzz-http.ts

stress-swap: setup-test dist/.built ## Swap snapshots, crash threads, restart Redis and import under steady load (DURATION=180 RATE=200)
	node dist/test/stress/swap.js

stress-overload: setup-test dist/.built ## Send three times the capacity to a process, alone and behind HAProxy: throughput, latency, refusals, recovery (DURATION=20)
	node dist/test/stress/overload.js

stress-fair: setup-test dist/.built ## Flood with one client's costly lookups, and measure what another's plain ones get (DURATION=20)
	node dist/test/stress/fair.js

stress-area-hostile: setup-test dist/.built ## Ask for 100,000 areas that are as costly as their limits allow: time of the thread for each, and plain lookups beside them (AREAS=N SEED=N)
	node dist/test/stress/area-hostile.js

stress-answers: setup-test dist/.built ## Send a day of costly lookups with an Idempotency-Key, and weigh the journal (LIMIT=1000)
	node dist/test/stress/answers.js

stress-slow: setup-test dist/.built ## Send slow headers, slow bodies and slow readers to a process, alone and behind HAProxy and nginx: what others get (DURATION=300)
	node dist/test/stress/slow-clients.js

stress-batch: setup-test dist/.built ## Measure plain lookups beside a batch of 100,000 rows, then kill the server 50 times during batches (DURATION=15 ROUNDS=3 ROWS=100000 KILLS=50 PART=1|2)
	node dist/test/stress/batch.js

stress-batch-machines: setup-test ## Kill three machines and Redis 50 times while they share batches in a bucket that fails, and freeze one (KILLS=N FREEZE_S=60 SEED=N)
	$(from_sources) node test/stress/batch-machines.ts

stress-follow: setup-test ## Pull a snapshot of 2 GB from another machine over a connection that is cut 20 times (SIZE=MB CUTS=N)
	$(from_sources) node test/stress/follow.ts

soak: setup-test dist/.built ## Watch memory growth, descriptors and threads of a server under steady load (MINUTES=30 RATE=100)
	node dist/test/stress/soak.js

setup: ## Install what is missing: system packages, Node.js, npm packages, the GDAL binding
	deploy/install-packages run
	deploy/install-node $(named_node)
	@$(MAKE) --no-print-directory node_modules/.package-lock.json
	deploy/build-gdal

setup-deb:
	deploy/install-packages deb
	deploy/install-node 24
	@$(MAKE) --no-print-directory setup

# The packages of the tests come while npm fetches its own and the GDAL binding is compiled.
setup-test: ## Install also what the tests need: GDAL's programs, Redis, a browser
	deploy/install-packages run
	deploy/install-packages test & $(MAKE) --no-print-directory setup && wait $$!

node_modules/.package-lock.json: package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

dist/.built: $(sources) tsconfig.json test/build.tsconfig.json node_modules/.package-lock.json
	npm run build
	@touch $@
