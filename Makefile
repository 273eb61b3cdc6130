# `make` alone lists the targets. Needs Python 3.11 or newer, make and git.
#   SRC=, OUT=      what `build` compiles, and into what
#   ENV_FILE=       values for `$env` (default: SRC.env, when there is one)
#   PYTHON=         the interpreter (default: the first one tools/pythons.sh finds)
#   N=, SEED=       how many random cases `fuzz` and `fuzz-pack` try, and which (default: others each time)
#   T=              what `test` and `test-all` run, e.g. T="tests/cli -k render"

SRC ?= examples/prompts
OUT ?= dist/prompts
ENV_FILE ?= $(wildcard $(patsubst %/,%,$(SRC)).env)
T ?=
N ?= 2000
SEED ?=
export PYTHON

# One environment for building, with what a build needs and no more; one for tests for each Python version; one with
# the peers of the benchmarks; one with Julep.
BUILD_ENV = .venv
TEST_ENV = .venv-test
BENCH_ENV = .venv-bench
PARITY_ENV = .venv-parity

.PHONY: help build test test-all lint conformance parity fuzz fuzz-pack bench clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

build: ## compile SRC into OUT, then render one prompt from OUT with a bare interpreter
	@sh tools/environment.sh $(BUILD_ENV) compiler
	$(BUILD_ENV)/bin/frozenctx build $(SRC) -o $(OUT) $(addprefix --env-file=,$(ENV_FILE))
	@$(BUILD_ENV)/bin/python tools/render_bare.py $(SRC) $(OUT) $(ENV_FILE)
	@echo "$(BUILD_ENV)/bin/frozenctx test $(SRC) tries all samples"

test: ## run the tests on one interpreter, in an environment of their own
	@sh tools/environment.sh $(TEST_ENV) compiler,dev
	$(TEST_ENV)/bin/python -m pytest -q $(T)

test-all: ## run the tests on every supported interpreter found
	@set -e; made=; for python in $$(sh tools/pythons.sh); do \
	    version=$$($$python -I -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
	    PYTHON=$$python sh tools/environment.sh $(TEST_ENV)-$$version compiler,dev; \
	    made="$${made:+$$made:}$(CURDIR)/$(TEST_ENV)-$$version/bin/python"; \
	done; \
	for python in $$(echo "$$made" | tr : ' '); do \
	    FROZENCTX_PYTHONS=$$made $$python -m pytest -q $(T); \
	done

lint: ## ruff and mypy --strict
	@sh tools/environment.sh $(TEST_ENV) compiler,dev
	$(TEST_ENV)/bin/python -m ruff check
	$(TEST_ENV)/bin/python -m mypy

conformance: ## run Jinja's own test suite against compiled templates
	@sh tools/environment.sh $(TEST_ENV) compiler,dev
	FROZENCTX_CONFORMANCE=required $(TEST_ENV)/bin/python -m pytest -q tests/conformance $(T)

parity: ## compare packages with Julep itself, of the release that COMPATIBILITY.md names (needs Python 3.12)
	@PYTHON=$${PYTHON:-$$(for each in $$(sh tools/pythons.sh); do \
	    "$$each" -I -c 'import sys; sys.exit(sys.version_info < (3, 12))' && echo "$$each" && break; \
	done)} sh tools/environment.sh $(PARITY_ENV) compiler,parity
	$(PARITY_ENV)/bin/python tests/parity/with_julep.py

fuzz: ## compare N random templates with jinja2
	@sh tools/environment.sh $(TEST_ENV) compiler,dev
	$(TEST_ENV)/bin/python tests/fuzz/run.py --cases $(N) $(addprefix --seed=,$(SEED))

fuzz-pack: ## damage packs and outputs in N ways, and ask everything of them
	@sh tools/environment.sh $(TEST_ENV) compiler,dev
	$(TEST_ENV)/bin/python tests/artifacts/fuzz_packs.py --cases $(N) $(addprefix --seed=,$(SEED))

bench: ## measure rendering, building and cold starts, against jinja2, PyYAML and minijinja
	@sh tools/environment.sh $(BENCH_ENV) compiler,bench
	$(BENCH_ENV)/bin/python -m bench.render
	$(BENCH_ENV)/bin/python -m bench.build --rounds 2
	$(BENCH_ENV)/bin/python -m bench.settings
	$(BENCH_ENV)/bin/python -m bench.cold --rounds 3

clean: ## remove the environments, the output and all caches
	rm -rf .venv .venv-* dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
