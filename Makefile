# What there is to do: `make demo`, `make test`; for developers also `make format`, `make bench`, `make bench-peers`, `make lock`.
# Works from any folder, with nothing but Python 3.11 or newer, git and make.

ROOT := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))
VENV := $(ROOT).venv
BIN := $(VENV)/bin
PYTHON ?= python3
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONDONTWRITEBYTECODE # the tests start some hundred processes; none need read what another has read
PIP_INSTALL := $(BIN)/python -m pip install --quiet

.PHONY: demo test lint collect format bench bench-peers lock docs clean

demo: $(VENV)/.run
	cd $(ROOT) && $(BIN)/grader score --criteria Data/server-care/criteria.xlsx \
		--answers Data/server-care/answers/careful-7b.jsonl --answers Data/server-care/answers/quick-7b.jsonl \
		--answers Data/server-care/answers/verbose-13b.jsonl --questions Data/server-care/questions.jsonl \
		--group-by type --model offline --out Result/demo
	cd $(ROOT) && $(BIN)/grader run Data/lunar-surface/settings.json --out Result/demo-benchmark

test:
	@$(MAKE) --no-print-directory --file $(ROOT)Makefile --jobs 2 lint collect
	cd $(ROOT) && $(BIN)/python -m coverage erase && $(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term

lint: $(VENV)/.test
	cd $(ROOT) && $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports --no-logo

# What the tests import is compiled while mypy works, once and not by each test process for itself.
collect: $(VENV)/.test
	@-cd $(ROOT) && $(BIN)/python -m pytest --collect-only --quiet > /dev/null 2>&1

format: $(VENV)/.test
	cd $(ROOT) && $(BIN)/ruff check --fix . && $(BIN)/ruff format .

bench: $(VENV)/.test
	cd $(ROOT) && $(BIN)/python benchmarks/offline_agreement.py && $(BIN)/python benchmarks/fault_run.py && \
		$(BIN)/python benchmarks/kill_run.py && $(BIN)/python benchmarks/peers.py && $(BIN)/python benchmarks/targets.py

# Other tools for the same job, to be measured beside ours; they are large, and nothing else needs them.
bench-peers: $(VENV)/.test
	for peer in autorubric==1.6.1 inspect-ai==0.3.285+openai; do \
		$(PYTHON) -m venv $(ROOT).bench/$${peer%%[-=]*} && \
		$(ROOT).bench/$${peer%%[-=]*}/bin/python -m pip install --quiet $$(echo $$peer | tr + ' ') || exit 1; \
	done
	mkdir -p $(ROOT).bench/npm && cd $(ROOT).bench/npm && npm install --ignore-scripts --no-audit --no-fund promptfoo@0.121.20
	cd $(ROOT) && $(BIN)/python benchmarks/peers.py

docs: $(VENV)/.test
	cd $(ROOT) && $(BIN)/python docs/write_cli_reference.py && $(BIN)/python docs/write_checks_page.py

# The environments are pinned with hashes; `make lock` moves the pins on within the ranges of pyproject.toml.
lock: $(VENV)/.test
	$(PIP_INSTALL) uv
	cd $(ROOT) && for extra in run test; do \
		$(BIN)/uv pip compile --quiet --upgrade pyproject.toml requirements/build.in $$([ $$extra = run ] || echo --extra $$extra) \
			--universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header \
			--output-file requirements/$$extra.txt || exit 1; \
	done

clean:
	rm -rf $(VENV) $(ROOT)dist $(ROOT)Result/demo $(ROOT)Result/demo-benchmark

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "grader needs Python 3.11 or newer; name one, as in: make demo PYTHON=python3.12")'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo 'No virtual environment could be made; on Debian and Ubuntu: apt install python3-venv'; exit 1; }
	@-$(PIP_INSTALL) --upgrade pip # that of Python 3.11 takes twice as long for what follows

$(VENV)/.run: $(ROOT)requirements/run.txt $(ROOT)pyproject.toml | $(BIN)/python
	$(PIP_INSTALL) --require-hashes -r $(ROOT)requirements/run.txt
	$(PIP_INSTALL) --no-deps --no-build-isolation --editable $(ROOT)
	@touch $@

# Of all that the tests might need they import a third: Python compiles that when it gets there.
$(VENV)/.test: $(ROOT)requirements/test.txt $(ROOT)pyproject.toml | $(BIN)/python
	$(PIP_INSTALL) --no-compile --require-hashes -r $(ROOT)requirements/test.txt
	$(PIP_INSTALL) --no-deps --no-build-isolation --editable $(ROOT)
	@touch $@ $(VENV)/.run
