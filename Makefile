# Each target stands alone: on a machine with python3 >= 3.11 (with venv), make and git it makes its
# own environment in .venv, with what it needs and no more, and then does its job.

VENV ?= .venv
DEMO ?= examples/06_digits_cnn.py
BENCH ?= tests.benchmarks.run
WORKERS ?= auto
PYTHONS ?= python3 python3.14 python3.13 python3.12 python3.11
SHELL = /bin/sh
.SHELLFLAGS = -ec

IN_VENV = $(VENV)/bin/python -m
PYTEST = $(IN_VENV) pytest

# Libraries are compared on one thread each, which other work on the machine disturbs least.
ONE_THREAD = OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 TF_NUM_INTRAOP_THREADS=1

# What each purpose needs, beside the package itself.
NEEDS_demo = --editable '.[examples]'
NEEDS_docs = --editable . --group docs
NEEDS_test = --editable '.[examples,onnx,tensorflow-graphs]' --group test
NEEDS_cluster = --editable '.[cluster,examples,onnx,tensorflow-graphs]' --group test
NEEDS_gpu = --editable . --group test 'cupy-cuda12x[ctk]>=14'

.DEFAULT_GOAL = help
.PHONY: help demo test test-slow test-cluster test-cluster-full lint types doctest coverage \
    bench bench-cluster compatibility docs gpu-check clean
.SECONDARY:

help: ## Say what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
	    while IFS='|' read -r target what; do printf '%-25s %s\n' "$$target" "  $$what"; done

demo: $(VENV)/.for-demo ## Train a classifier of handwritten digits, showing progress and accuracy
	$(VENV)/bin/python $(DEMO)

test: lint types ## Check everything: style, types, tests, doctests, the code in the documentation
	$(PYTEST) -n $(WORKERS) --timeout 300
	@$(MAKE) --no-print-directory doctest

test-slow: $(VENV)/.for-test ## Run the tests that take long
	$(PYTEST) -m slow --timeout 1800

# One after the other: each of them starts as many processes as there is room for.
test-cluster: $(VENV)/.for-cluster ## Run the tests that start processes and clusters
	$(PYTEST) -m cluster --timeout 300

test-cluster-full: $(VENV)/.for-cluster ## Run these, with faults repeated many times
	$(PYTEST) -m 'cluster or cluster_full' --timeout 3600

lint: $(VENV)/.for-test ## Check style
	$(IN_VENV) ruff check
	$(IN_VENV) ruff format --check

types: $(VENV)/.for-test ## Check types, and the stubs in typings against what they stub
	$(IN_VENV) mypy
	@test ! -d typings/cupy || ! $(VENV)/bin/python -W ignore -c 'import cupy' 2>/dev/null || { \
	    echo 'stubtest cupy'; \
	    MYPYPATH=typings $(IN_VENV) mypy.stubtest --ignore-missing-stub cupy; }

# By file: the blocks of a page go on where the one before stopped.
doctest: $(VENV)/.for-test ## Run the examples in docstrings, README and documentation
	$(PYTEST) --doctest-modules -n $(WORKERS) --dist loadfile --timeout 300 src README.md docs

coverage: $(VENV)/.for-test ## Run the tests and list the lines that none of them reaches
	$(PYTEST) -n $(WORKERS) --timeout 600 --cov

bench: $(VENV)/.for-test ## Measure against the budgets, NumPy, and other libraries where installed
	$(ONE_THREAD) $(IN_VENV) $(BENCH)

bench-cluster: $(VENV)/.for-cluster ## Measure clusters, beside others where installed
	$(ONE_THREAD) $(IN_VENV) tests.benchmarks.cluster

compatibility: $(VENV)/.for-test ## List which of TensorFlow's names there are, in docs/compatibility.md
	$(IN_VENV) tests.compatibility

docs: $(VENV)/.for-docs ## Build the documentation into docs/_build/html
	$(IN_VENV) sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo 'docs/_build/html/index.html'

# A Python that has CuPy already is taken as it is; else one is set up in .venv.
GPU_MODULES = cupy, hypothesis, ml_dtypes, numpy, pytest, safetensors
gpu-check: ## Run the tests that need a GPU, or say that there is none
	@nvidia-smi -L 2>/dev/null || { echo 'gpu-check: no GPU on this machine, nothing was run'; exit; }; \
	for python in $(VENV)/bin/python $(PYTHONS); do \
	    if $$python -c 'import $(GPU_MODULES); cupy.arange(3).sum()' >/dev/null 2>&1; then \
	        exec $$python -m pytest -m gpu --device gpu tests/gpu; \
	    fi; \
	done; \
	$(MAKE) --no-print-directory $(VENV)/.for-gpu; \
	exec $(PYTEST) -m gpu --device gpu tests/gpu

clean: ## Remove what was made, .venv too
	rm -rf $(VENV) build dist docs/_build .coverage .coverage.* .benchmarks .hypothesis
	rm -rf .mypy_cache .pytest_cache .ruff_cache
	find src tests examples docs -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.pip:
	@for python in $(PYTHONS); do \
	    if $$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	        echo "Setting up $(VENV) with $$($$python --version)"; \
	        $$python -m venv $(VENV); \
	        $(IN_VENV) pip install --quiet --upgrade 'pip>=25.1'; \
	        touch $@; exit; \
	    fi; \
	done; \
	echo 'tensorlite needs Python 3.11 or newer with its venv module; none of these is one:' >&2; \
	echo '    $(PYTHONS)' >&2; \
	echo 'Install one (on Debian and Ubuntu: python3 and python3-venv), or name it: make PYTHONS=...' >&2; \
	exit 1

$(VENV)/.for-%: pyproject.toml $(VENV)/.pip
	@echo 'Installing what is needed for: $* (once; it may take a few minutes)'
	@$(IN_VENV) pip install --quiet $(NEEDS_$*)
	@touch $@
