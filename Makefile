# One-word commands; each sets up what it needs. `make help` lists them.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
SYNC   := $(VENV)/.synced
WORKERS ?= 3
LOCKS  := requirements/runtime.txt requirements/dev.txt

.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench lint types imports docs fmt guards lock clean

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort

$(SYNC): $(LOCKS) pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "bendcoder needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

setup: $(SYNC) ## virtual environment, packages, and (CI=true or BENDCODER_INSTALL=1) system packages
	@$(BIN)/python deploy/system_packages.py

demo: setup ## the main job on this machine, no keys: issue -> webhook -> worker -> draft PR (DEMO=name, STAY=1)
	$(BIN)/bendcoder demo $(if $(DEMO),--program $(DEMO)) $(if $(STAY),--stay)

test: setup ## everything that is not style: unit, contract, integration, end to end, coverage gate
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --cov --cov-report=term --cov-report=json:.coverage.json $(PYTEST)
	$(BIN)/python tests/coverage_gate.py .coverage.json

check: setup lint types imports docs ## ruff, mypy strict, import contracts, docs

lint: $(SYNC)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(SYNC)
	$(BIN)/mypy

imports: $(SYNC)
	$(BIN)/lint-imports

docs: $(SYNC)
	$(BIN)/python -m pytest -q -n 0 -p no:randomly --no-cov tests/test_docs.py tests/test_architecture.py

fmt: $(SYNC) ## format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup ## the bars of the design as ratios and budgets
	$(BIN)/python -m deploy.bench

guards: $(SYNC) ## write docs/guards.md anew from the guards' code
	$(BIN)/python -m deploy.docs_of_guards

lock: $(SYNC) ## re-make the hash-pinned requirement files
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-strip-extras pyproject.toml -o requirements/runtime.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-strip-extras pyproject.toml --extra local --extra llm --group dev -o requirements/dev.txt

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .coverage .coverage.json
