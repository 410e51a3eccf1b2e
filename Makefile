# Thin on purpose: each target says what it does and sets up what it needs. Nothing but Python 3.11+ and make is assumed.
PYTHON ?= python3
PORT ?= 8484
FUZZ_SECONDS ?= 600
BIN := .venv/bin
KERNELS := $(wildcard traces/kernels/*.[ch] rendering/kernels/*.[ch])
INTENTS := server/analyst/intents.toml server/analyst/nearest_intent.py
RENDER := $(BIN)/flamechat render
WEB := $(shell find web -type f -not -path '*/node_modules/*' 2>/dev/null)

# Tests and checks start hundreds of processes: without bytecode each of them would compile the house anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run demo-cloud test test-long laws check bench eval fuzz gallery lock format clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: .make/run ## start Flamechat on this machine and print its address (PORT=8484)
	@exec $(BIN)/flamechat serve --port $(PORT)

demo-cloud: .make/dev ## the cloud configuration on this machine: test servers in place of Supabase and Langfuse, and links to sign in
	@exec $(BIN)/python -m tests.cloud.demo

test: .make/dev ## pure rooms, real PostgreSQL, real HTTP, a real browser if there is one; the architecture is checked by make check
	$(BIN)/python -m pytest -n 3 --dist loadgroup -m "not long" --ignore=tests/architecture

test-long: .make/dev ## what needs longer than make test may take (half an hour on two cores)
	$(BIN)/python -m pytest -n 3 --dist loadgroup -m long

laws: .make/dev ## every law again, on 400 examples that no run had before
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m hypothesis --hypothesis-seed=random

check: .make/dev ## format, lint, types, imports, architecture, the client's types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/architecture
	$(BIN)/python hatch_build.py check

soak: .make/dev ## crowds, cuts, kills, model calls, restarts, a full disk, a loud neighbour, streaming: what is missing of each; PART=kills: one run of it, under nine minutes
	$(BIN)/python -m tests.soak $(PART)

bench: .make/dev ## measure: our figure, machine and versions, in one run
	$(BIN)/python -m bench

eval: .make/dev ## ask the questions of evals/ of the built-in analyst, and of a model with EVAL="--model NAME"; EVAL=--claims: the marks of statements
	$(if $(filter --claims,$(EVAL)),,$(BIN)/python -m evals.talks $(TALKS))
	$(if $(filter --claims,$(EVAL)),,$(BIN)/python -m tests.evals.over_recordings)
	$(BIN)/python -m evals $(EVAL)

fuzz: .make/dev ## mutated input to every kernel under the sanitizers, then to every importer (FUZZ_SECONDS=600, halved)
	$(PYTHON) fuzz/run.py $$(($(FUZZ_SECONDS) / 2))
	$(BIN)/python -m fuzz.importers.run $$(($(FUZZ_SECONDS) / 2))

gallery: .make/run ## draw the pictures of docs/gallery.md again from the fixtures
	$(RENDER) fixtures/redact-documents.viztracer.json.gz -o docs/gallery/time-order.png --start-ms 1 --end-ms 6 --height 420 --minimap --legend
	$(RENDER) fixtures/sample/order-service.speedscope.json.gz -o docs/gallery/left-heavy.png --mode left-heavy --theme dark --height 520 --handles
	$(RENDER) fixtures/sample/order-service.speedscope.json.gz -o docs/gallery/sandwich.png --frame OrderHandler.route --height 420
	$(RENDER) fixtures/sample/order-service.speedscope.json.gz -o docs/gallery/diff.png --diff fixtures/sample/order-service.speedscope.json.gz --before-profile p4 --profile p3 --compare shares --theme dark --height 480 --legend
	$(RENDER) fixtures/settlement.go-cpu.pb.gz -o docs/gallery/safe-palette.png --mode left-heavy --palette safe --height 480 --highlight runtime.mallocgc
	$(RENDER) fixtures/board.chrome-object.json.gz -o docs/gallery/many-boxes.png --palette package --theme dark --height 480 --legend

format: .make/dev ## rewrite the files as make check wants them
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: .make/dev ## resolve the dependencies again into the three lock files (needs uv from PyPI)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header pyproject.toml --group build -o requirements.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --group node --group compiler -o requirements-build.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header -c requirements.lock -c requirements-build.lock pyproject.toml --group build --group dev -o requirements-dev.lock

clean: ## remove what make made (not your data)
	rm -rf .venv .make web/node_modules server/page

.venv/made:
	$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info[:2] <= (3, 13) else "Flamechat needs Python 3.11, 3.12 or 3.13; this is " + sys.version.split()[0] + ". Say: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	@touch $@

.make/requirements: requirements.lock .venv/made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@mkdir -p .make && touch $@

.make/run: .make/requirements pyproject.toml hatch_build.py requirements-build.lock $(KERNELS) $(INTENTS) $(WEB)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q traces rendering limits server
	@$(BIN)/python -c 'from traces.kernels.library import kernels_available as kernels; found = kernels(); found.available or print("Slower, without the compiled kernels:", found.reason)'
	@touch $@

# Tests are compiled here, and what their laws draw from is read, once: else each of three workers would do it.
.make/dev: .make/run requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@$(BIN)/python -m pytest --collect-only -qq -m hypothesis > .make/collected
	@touch $@
