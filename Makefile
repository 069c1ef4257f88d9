# Galley's own commands: `make help`. Everything lives in .venv; the system is touched only for libraries that Python's packages cannot bring.

# The recording that `make run` opens; another one: make run FILE="my talk.mp3"
FILE = resources/sample/conversation.flac
export FILE

# For `make parity` on real weights, see docs/exact.md.
export GALLEY_PARITY_REAL = $(REAL)
export GALLEY_PARITY_MODELS = $(MODELS)
export GALLEY_PARITY_KEEP = $(KEEP)
export GALLEY_PARITY_CLIPS = $(CLIPS)
export ONLY

PYTHON = $$(if [ "$$OS" = Windows_NT ]; then echo .venv/Scripts/python; else echo .venv/bin/python; fi)
OFFSCREEN = QT_QPA_PLATFORM=offscreen

.PHONY: help run setup test check texts parity soak screenshots clean

help:
	@echo 'make run           start Galley on a sample conversation (make run FILE=... takes another file)'
	@echo 'make test          run the tests'
	@echo 'make check         lint, types, layer rules'
	@echo 'make texts         collect the texts of the program for translation (make texts LANGUAGE=fr begins a language)'
	@echo 'make setup         install what tests and benchmarks need into .venv'
	@echo 'make parity        compare with transformers and openai-whisper, token for token (minutes; with REAL= and MODELS= hours)'
	@echo 'make soak          record two hours, and hear two hours live, faster than real time (an hour and more)'
	@echo 'make screenshots   render every screen into docs/screenshots'
	@echo 'make clean         remove .venv and everything that was built'

# With a display the window opens; without one the text is written to the terminal.
run:
	@bash installer/environment.sh base
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$OS" = Windows_NT ] || [ "$$(uname)" = Darwin ]; then \
		$(PYTHON) installer/system_packages.py window sound && exec $(PYTHON) -m desktop_app -- "$$FILE"; \
	else \
		$(PYTHON) installer/system_packages.py sound && exec $(PYTHON) -m desktop_app transcribe -- "$$FILE"; \
	fi

setup:
	@bash installer/environment.sh tests
	@$(PYTHON) installer/system_packages.py window sound
	@$(PYTHON) installer/system_packages.py virtual-microphone

test: setup
	$(OFFSCREEN) $(PYTHON) -m pytest

check: setup
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(PYTHON) -m pytest -q -p no:randomly tests/unit/test_layers.py tests/unit/test_house.py

texts: setup
	$(PYTHON) tests/collect_texts.py $(LANGUAGE)

parity: setup
	$(PYTHON) -m pytest -p no:randomly -m "parity or long" --timeout 3600 -k "$$ONLY" tests/parity

soak: setup
	GALLEY_SOAK_HOURS=2 $(PYTHON) -m pytest -o timeout=1200 tests/unit/audio/test_recording.py -k hours
	$(PYTHON) -m benchmarks.live_soak

screenshots: setup
	$(OFFSCREEN) $(PYTHON) tests/screenshots.py

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
