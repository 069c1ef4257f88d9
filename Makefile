# Galley's own commands: `make help`. Everything lives in .venv; the system is touched only for libraries that Python's packages cannot bring.

# The recording that `make run` opens; another one: make run FILE="my talk.mp3"
FILE = resources/sample/conversation.flac
export FILE

# Whole hours of audio that `make soak` takes.
HOURS = 2

# For `make parity` on real weights, see docs/design/references.md.
export GALLEY_PARITY_REAL = $(REAL)
export GALLEY_PARITY_MODELS = $(MODELS)
export GALLEY_PARITY_KEEP = $(KEEP)
export GALLEY_PARITY_CLIPS = $(CLIPS)
export ONLY

# What pip builds from source it builds with tools of these versions: by the first until pip 25.2, by the second since.
export PIP_CONSTRAINT = $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT = $(CURDIR)/constraints.txt

PYTHON = $$(if [ "$$OS" = Windows_NT ]; then echo .venv/Scripts/python; else echo .venv/bin/python; fi)
# Two workers: a test computes with all cores, but waits often. The tests of one file share what they have prepared, and
# the files stay in the order of tests/conftest.py.
AT_ONCE = --numprocesses 2 --dist loadfile --no-loadscope-reorder
OFFSCREEN = QT_QPA_PLATFORM=offscreen

.PHONY: help run setup test clocks test-language check texts installer test-installer test-installer-windows sbom audit release-check parity bench-peers bench-window bench-length results chaos soak mutants journeys typing screenshots requirements clean

help:
	@echo 'make run           start Galley on a sample conversation (make run FILE=... takes another file)'
	@echo 'make test          run the tests'
	@echo 'make clocks        run the tests that measure seconds: by hand, on a computer that does nothing else'
	@echo 'make test-language run the tests of window and command line in German (or another language: LANGUAGE=fr)'
	@echo 'make check         lint, types, layer rules'
	@echo 'make texts         collect the texts of the program for translation (make texts LANGUAGE=fr begins a language)'
	@echo 'make setup         install what tests and benchmarks need into .venv'
	@echo 'make requirements  write the hashes of all pinned packages into requirements (uses the network)'
	@echo 'make installer     build what people install, in dist (minutes; on Linux a .deb and a .tar.gz)'
	@echo 'make test-installer  install, use and remove it on a bare Debian that this makes below build (root; minutes)'
	@echo 'make test-installer-windows  install, upgrade and remove a small payload under Wine (a minute; makensis and wine)'
	@echo 'make sbom          list what Galley consists of, with versions, licences and hashes, in dist/galley.cdx.json (CycloneDX)'
	@echo 'make audit         ask whether weaknesses are known in the pinned packages (uses the network)'
	@echo 'make release-check look whether this checkout can be released (make release-check TAG=v0.1.0, see RELEASING.md)'
	@echo 'make parity        compare with transformers and openai-whisper, token for token (minutes; with REAL= and MODELS= hours)'
	@echo 'make bench-peers   compare the speed with other programs that run Whisper, which it installs below build (make bench-peers FILE=... PRECISION=f32)'
	@echo 'make bench-length  measure time and memory of recordings from ten minutes to ten hours (FILE=...; half an hour and more)'
	@echo 'make bench-window  measure how fast the window is: stalls, a text of ten hours, 10,000 recordings (minutes; PARTS="start text library")'
	@echo 'make results       render benchmarks/RESULTS.md and the table of README.md from the recorded figures'
	@echo 'make chaos         attack Galley: damaged media, models and files of its own, kill -9, full disks, no network (hours; SEED=2 attacks otherwise)'
	@echo 'make soak          record, hear live and transcribe two hours, faster than real time (over an hour; make soak HOURS=8)'
	@echo 'make mutants       change the code on purpose, and look whether tests notice (long)'
	@echo 'make journeys      use Galley on an X server of its own, with keys and mouse, and take pictures into build/journeys (Linux, minutes)'
	@echo 'make typing        type, click, undo and search at random while files arrive (20 minutes; make typing MINUTES=5 SEEDS=7)'
	@echo 'make screenshots   render every screen into build/screenshots, in both languages, looks and scales'
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
	@$(PYTHON) installer/system_packages.py virtual-microphone chaos

test: setup
	$(OFFSCREEN) $(PYTHON) -m pytest $(AT_ONCE)

clocks: setup
	$(OFFSCREEN) $(PYTHON) -m pytest -m "not long" --clock

test-language: setup
	GALLEY_TEST_LANGUAGE=$(or $(LANGUAGE),de) $(OFFSCREEN) $(PYTHON) -m pytest $(AT_ONCE) tests/e2e tests/ui

check: setup
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(PYTHON) -m pytest -q -p no:randomly tests/unit/test_layers.py tests/unit/test_house.py tests/unit/test_docs.py

texts: setup
	$(PYTHON) tools/collect_texts.py $(LANGUAGE)

# constraints.txt has the versions; uv adds the hashes of every file of each, for Linux, Windows and macOS.
HASHED = $(PYTHON) -m uv --quiet pip compile --constraint constraints.txt --universal --python-version 3.11 \
	--generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links --no-emit-package pip \
	--custom-compile-command 'make requirements'
LOCK = $(HASHED) pyproject.toml
# What is built from source, and so apart: without the packages that it needs, which are in tests.txt.
LOCK_ALONE = $(HASHED) - --no-deps

requirements:
	@bash installer/environment.sh base
	@$(PYTHON) -m pip --disable-pip-version-check install --quiet uv
	$(LOCK) --extra build --output-file requirements/base.txt
	$(LOCK) --extra dev --output-file requirements/tests.txt
	$(LOCK) --extra build --extra installer --output-file requirements/installer.txt
	echo openai-whisper | $(LOCK_ALONE) --output-file requirements/openai-whisper.txt
	printf 'kaldialign\nmeeteval\n' | $(LOCK_ALONE) --output-file requirements/meeteval.txt

# With REPORT=docs/design/installer-size.md the sizes are written there.
installer:
	@bash installer/environment.sh base
	@$(PYTHON) -m pip --disable-pip-version-check install --quiet --require-hashes --only-binary :all: --requirement requirements/installer.txt
	@$(PYTHON) installer/system_packages.py window sound
	$(PYTHON) installer/build.py $(if $(REPORT),--report $(REPORT))

# The tests that start the command line: they start the frozen program.
OF_COMMANDS = $(addprefix tests/e2e/test_, command_line.py bad_input.py german.py download.py bundled.py)

test-installer: setup
	$(PYTHON) -m tools.debian_installer
	GALLEY_PROGRAM=$(CURDIR)/build/frozen/galley/galley $(OFFSCREEN) $(PYTHON) -m pytest $(AT_ONCE) $(OF_COMMANDS)
	@$(PYTHON) installer/system_packages.py journeys
	GALLEY_PROGRAM=$(CURDIR)/build/frozen/galley/galley $(PYTHON) tools/journeys.py

test-installer-windows: setup
	$(PYTHON) tools/windows_installer.py

sbom: setup
	$(PYTHON) installer/sbom.py dist/galley.cdx.json

audit: setup
	@$(PYTHON) installer/audit.py

release-check: setup
	@$(PYTHON) installer/release_check.py $(TAG)

parity: setup
	$(PYTHON) -m pytest -p no:randomly -m "parity or long" --timeout 3600 -k "$$ONLY" tests/parity tests/unit

# Of a folder with reference texts five minutes are joined. ASSISTANT: a smaller Whisper folder, for transformers' assisted decoding.
ROUNDS = 5
PRECISION = int8

bench-peers: setup
	$(PYTHON) -m benchmarks.peers "$$FILE" --rounds $(ROUNDS) --precision $(PRECISION) $(if $(TARGET),--target "$(TARGET)") $(if $(ASSISTANT),--assistant "$(ASSISTANT)")

# FILE: a recording, or a folder with reference texts.
bench-length: setup
	$(PYTHON) -m benchmarks.length "$$FILE" --precision $(PRECISION)

bench-window: setup
	$(PYTHON) -m benchmarks.window $(PARTS)

results: setup
	$(PYTHON) -m benchmarks.figures

SEED = 1
ATTACKS = media models stored kills disk offline endurance

# Each attack runs, whatever the others find: `make -k chaos`. One of them: `make chaos ATTACKS=kills`.
chaos: $(ATTACKS:%=attack-%)

attack-media: OPTIONS = --count 3000 --seed $(SEED)
attack-models: OPTIONS = --count 800 --seed $(SEED)
attack-stored: OPTIONS = --count 1000 --seed $(SEED)
attack-kills: OPTIONS = --count 300 --seed $(SEED)
attack-%: setup
	$(OFFSCREEN) $(PYTHON) -m tests.chaos.$* $(OPTIONS)

soak: setup
	GALLEY_SOAK_HOURS=$(HOURS) $(PYTHON) -m pytest -o timeout=$$(($(HOURS) * 600)) tests/unit/audio/test_recording.py -k hours
	$(PYTHON) -m benchmarks.live_soak --minutes $$(($(HOURS) * 60))
	GALLEY_SOAK_HOURS=$(HOURS) $(PYTHON) -m tests.chaos.endurance 'hours of a file'

mutants: setup
	$(PYTHON) -m pip --disable-pip-version-check install --quiet --no-build-isolation --editable ".[mutants]"
	@mkdir -p build
	$(PYTHON) -m tools.mutants --notes build/mutants.json

journeys: setup
	@$(PYTHON) installer/system_packages.py journeys
	$(PYTHON) tools/journeys.py

MINUTES = 20
SEEDS = 1

typing: setup
	GALLEY_TYPING_MINUTES=$(MINUTES) GALLEY_TYPING_SEEDS="$(SEEDS)" $(OFFSCREEN) $(PYTHON) -m pytest -m long -o timeout=$$(($(MINUTES) * 60 + 600)) tests/ui/test_typist.py

screenshots: setup
	$(OFFSCREEN) $(PYTHON) tools/screenshots.py
	for language in en de; do for scale in 1 2; do \
		GALLEY_LANGUAGE=$$language QT_SCALE_FACTOR=$$scale $(OFFSCREEN) $(PYTHON) tools/screenshots.py --only pages || exit 1; \
	done; done

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
