# What people and CI run. Everything happens in a virtual environment, .venv; PYTHON names the interpreter that makes it.

PYTHON ?= python3
VENV ?= .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help install demo test test-slow test-lowest fuzz lint types docs screenshot site wheel dist bench clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

# Each stamp stands for one dependency group, so that a demo installs no test tools.
$(VENV)/installed: pyproject.toml irev/__init__.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable .
	$(BIN)/python -m compileall -q irev
	@touch $@

$(VENV)/tested: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group test
	@touch $@

$(VENV)/checked: $(VENV)/tested
	$(BIN)/python -m pip install --quiet --group check
	@touch $@

install: $(VENV)/installed ## Install irev into .venv

demo: install ## Install irev, then evaluate, compare and check the runs of sample_data
	$(BIN)/irev eval sample_data/qrels.txt sample_data/semantic.run
	$(BIN)/irev eval -q -m P.5 -m recip_rank -m ndcg -f table sample_data/qrels.txt sample_data/semantic.run
	$(BIN)/irev compare -m AP sample_data/qrels.txt sample_data/keyword.run sample_data/semantic.run
	$(BIN)/irev check --min nDCG@10=0.7 sample_data/qrels.txt sample_data/semantic.run

test: $(VENV)/tested ## Install what the tests need and run all but the slow ones
	$(BIN)/python -m pytest -q -n auto -m "not thorough"

test-slow: $(VENV)/tested ## Run the slow tests
	$(BIN)/python -m pytest -q -n auto -m thorough

LOWEST := $(VENV)/lowest/$(notdir $(BIN))/python

test-lowest: $(VENV)/installed ## The tests but the slow ones, with the lowest versions of what irev needs
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/python -m uv pip compile --quiet --resolution lowest-direct --output-file $(VENV)/lowest.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)/lowest
	$(LOWEST) -m pip install --quiet --upgrade "pip>=25.1"
	$(LOWEST) -m pip install --quiet --constraint $(VENV)/lowest.txt --editable . --group test
	$(LOWEST) -m pytest -q -n auto -m "not thorough"

SECONDS ?= 600
SEED ?= 1

fuzz: $(VENV)/tested ## Give random and broken files and options to whole commands, for SECONDS=600, from SEED=1 on
	$(BIN)/python tests/fuzz.py $(SECONDS) $(SEED)

lint: $(VENV)/checked ## Check style and the layers of the package
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: $(VENV)/checked ## Check types
	$(BIN)/mypy

docs: $(VENV)/installed ## Write the generated pages of docs/ again
	$(BIN)/python docs/generate.py

screenshot: $(VENV)/installed ## Draw the pictures of the documentation again (some want Playwright and Chromium)
	$(BIN)/python docs/screenshot.py

site: $(VENV)/installed ## Build the site into build/site
	$(BIN)/python -m pip install --quiet --group site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --config-file site/mkdocs.yml

wheel: $(VENV)/installed ## Build the wheel twice, with the same bytes, install it into an empty environment and run it there
	$(BIN)/python -m pip install --quiet --group build
	rm -rf dist $(VENV)/empty
	$(BIN)/python -m build --wheel --outdir dist .
	$(BIN)/python -m build --wheel --outdir dist/again .
	cmp dist/*.whl dist/again/*.whl
	rm -r dist/again
	$(BIN)/python -m venv $(VENV)/empty
	$(VENV)/empty/$(notdir $(BIN))/python -m pip install --quiet dist/*.whl
	$(VENV)/empty/$(notdir $(BIN))/irev --version
	$(VENV)/empty/$(notdir $(BIN))/irev eval -q sample_data/qrels.txt sample_data/keyword.run
	$(VENV)/empty/$(notdir $(BIN))/irev compare sample_data/qrels.txt sample_data/keyword.run sample_data/semantic.run
	$(VENV)/empty/$(notdir $(BIN))/irev eval -q $(VENV)/empty/share/irev/sample_data/qrels.txt $(VENV)/empty/share/irev/sample_data/hybrid.run
	$(VENV)/empty/$(notdir $(BIN))/irev report -o /dev/null sample_data/qrels.txt sample_data/keyword.run sample_data/semantic.run

dist: wheel ## And the source distribution beside it
	$(BIN)/python -m build --sdist --outdir dist .

bench: $(VENV)/installed ## Measure time and memory against whatever evaluators are installed
	$(BIN)/python benchmarks/measure.py

clean: ## Remove the environment and everything generated
	rm -rf $(VENV) dist build .pytest_cache .ruff_cache .mypy_cache .hypothesis
