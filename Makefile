# Each target sets up what it needs. `make demo` and `make test` are all a newcomer has to know.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# Tests of one file share what is slow to make, so they stay in one process. Some wait for
# processes that they start: one more than there are processors keeps these busy.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
PYTEST = -m pytest -q -n $(WORKERS) --dist loadfile $(PYTEST_ARGS)

export PYTHON
export HAYSTACK_TELEMETRY_ENABLED = False

.PHONY: help demo test check bench format examples picture clean

help:
	@echo "make demo      open the bundled runs in the window (or draw it to a picture where there is no display)"
	@echo "make test      the whole test suite, in three environments"
	@echo "make check     formatting, lint, types, import contracts and the tests"
	@echo "make bench     speed and memory, as ratios (QUICK=1 for a minute's run)"
	@echo "make examples  record the bundled runs anew"
	@echo "make picture   draw the picture of the README anew"

demo:
	@packaging/setup.sh demo $(VENV)
	@$(BIN)/python -m inspector.gui.demo

# The second and third environments keep two promises: recording works without Qt, and viewing
# works without Haystack. What can touch neither (import contracts see to it) is tested once.
test:
	@packaging/setup.sh test $(VENV)
	@packaging/setup.sh core $(VENV)-core
	@packaging/setup.sh viewer $(VENV)-viewer
	$(BIN)/python $(PYTEST)
	$(VENV)-core/bin/python $(PYTEST) tests/recording tests/replay tests/runfile tests/cli --ignore=tests/replay/worker --ignore=tests/replay/hostile
	$(VENV)-viewer/bin/python $(PYTEST) tests/findings tests/importers tests/export tests/gui tests/cli $(addprefix --ignore=tests/gui/,replaying manners stepping search sharing)

check:
	@packaging/setup.sh test $(VENV)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory test

bench:
	@packaging/setup.sh test $(VENV)
	$(BIN)/python -m tests.benchmarks $(if $(QUICK),--quick) $(BENCH_ARGS)

format:
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

examples:
	@packaging/setup.sh test $(VENV)
	$(BIN)/python resources/examples/make_examples.py

picture:
	@packaging/setup.sh test $(VENV)
	QT_QPA_PLATFORM=offscreen $(BIN)/python packaging/readme_picture.py

clean:
	rm -rf $(VENV) $(VENV)-core $(VENV)-viewer demo.png .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
