"""What holds for every test: no screen, no network, a home of its own, no unexpected skip."""

from __future__ import annotations

import fnmatch
import functools
import os
import runpy
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from tests.small_pair import SMALL_PAIR
from tests.waiting import LONGEST, Within

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

TESTS = Path(__file__).resolve().parent
LANGUAGE = os.environ.get("GALLEY_TEST_LANGUAGE", "en")

# Before anything imports Qt or the package. Child processes inherit all of it: Python finds the network guard as its
# sitecustomize.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = os.environ["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent"  # no desktop
os.environ["GALLEY_LANGUAGE"] = LANGUAGE
os.environ["GALLEY_MODEL"] = str(SMALL_PAIR)  # quick; tests of the model that Galley ships ask for `bundled`
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(TESTS / "offline"), os.environ.get("PYTHONPATH")]))
if "PYTEST_XDIST_WORKER" not in os.environ:  # workers share what the first process has made
    _made = tempfile.TemporaryDirectory(prefix="galley-tests-", ignore_cleanup_errors=True)
    os.environ["GALLEY_HOME"] = _made.name
    os.environ["GALLEY_NETWORK_ATTEMPTS"] = str(Path(_made.name, "network-attempts"))
_SESSION_HOME = Path(os.environ["GALLEY_HOME"])
NETWORK_ATTEMPTS = Path(os.environ["GALLEY_NETWORK_ATTEMPTS"])

runpy.run_path(str(TESTS / "offline" / "sitecustomize.py"))

import desktop_app.runtimes  # noqa: E402, F401  before a test imports OpenVINO, whose package would report that

# A shell starts background jobs deaf to Ctrl-C, and children inherit that; tests that press it need programs that hear.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in every run, so that a red test is red for everyone; HYPOTHESIS_PROFILE=explore looks for new ones.
hypothesis.settings.register_profile("steady", deadline=None, derandomize=True, database=None)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=1000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(scope="session")
def make_home(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Makes an empty folder for what Galley keeps. Compiled models are shared by all tests."""

    def make() -> Path:
        folder = tmp_path_factory.mktemp("home")
        shared = _SESSION_HOME / "compiled"
        shared.mkdir(exist_ok=True)
        (folder / "cache").mkdir()
        (folder / "cache" / "compiled").symlink_to(shared, target_is_directory=True)
        return folder

    return make


@pytest.fixture(autouse=True)
def home(make_home: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what Galley keeps during this test, empty at its start."""
    folder = make_home()
    monkeypatch.setenv("GALLEY_HOME", str(folder))
    return folder


@pytest.fixture(autouse=True)
def use_language() -> None:
    """The language of the test and of the programs it starts: English, or what GALLEY_TEST_LANGUAGE says.

    What tests/e2e looks for on a screen it looks up in `texts`, as the program does, so that all of it runs in either.
    """
    from desktop_app import texts  # not before the environment is set

    texts.use(LANGUAGE)
    assert texts.current() == LANGUAGE, f"GALLEY_TEST_LANGUAGE={LANGUAGE} is no language of Galley's"


@pytest.fixture
def qtbot(qtbot: QtBot) -> QtBot:
    """Waits as long as every other test does, where a test says nothing else."""
    for name in ("waitUntil", "waitSignal", "waitSignals"):
        setattr(qtbot, name, functools.partial(getattr(qtbot, name), timeout=round(LONGEST * 1000)))
    return qtbot


@pytest.fixture
def responsive(request: pytest.FixtureRequest) -> Callable[..., AbstractContextManager[object]]:
    """Within its block the window answers: counted by tests/responsive.py, or measured with --clock."""
    if not request.config.getoption("--clock"):
        from tests.responsive import responsive  # not before Qt is wanted

        return responsive
    from tests.clocks.heartbeat import BLOCKED, never_blocked

    return lambda looks=0, slack=1: never_blocked(slack * BLOCKED)


@pytest.fixture
def within(request: pytest.FixtureRequest) -> Within:
    """Its block takes less than some seconds, and at least `least`: measured with --clock, and only then."""

    @contextmanager
    def measured(most: float, least: float = 0.0) -> Iterator[None]:
        began = time.monotonic()
        yield
        if request.config.getoption("--clock"):
            assert least <= time.monotonic() - began < most

    return measured


@pytest.fixture
def recording(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a file that looks like a recording."""

    def make(name: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"sound")
        return path

    return make


@pytest.fixture
def bundled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the model be used that a user gets who chose none."""
    monkeypatch.delenv("GALLEY_MODEL")


@pytest.fixture
def network_attempts() -> Iterator[Path]:
    """The file in which attempts to reach a network are written down; for tests that make some, it is emptied."""
    yield NETWORK_ATTEMPTS
    NETWORK_ATTEMPTS.unlink(missing_ok=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--clock",
        action="store_true",
        help="measure seconds: in tests/clocks, and in what uses `responsive` or `within`",
    )


def pytest_report_header() -> str:
    """The language, among what pytest says first."""
    return f"language: {LANGUAGE}"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    """With --clock only what it measures.

    Files with few but long tests come first, after all shuffling, so that no worker is left with them alone.
    """
    if config.getoption("--clock"):
        clocks = {"responsive", "within"}
        measured = [item for item in items if item.get_closest_marker("clocks") or clocks & {*item.fixturenames}]
        config.hook.pytest_deselected(items=[item for item in items if item not in measured])
        items[:] = measured
    long_ones = [Path(__file__).parent / name for name in ("chaos", "e2e", "parity")]
    items.sort(key=lambda item: not any(item.path.is_relative_to(folder) for folder in long_ones))


# A skipped test proves nothing, so each skip has to be expected: a line of SKIPS.md.

_unexpected: list[str] = []


def _expected_skips() -> list[str]:
    """The patterns of test ids that SKIPS.md allows to be skipped, one in backquotes at the start of each list item."""
    lines = (TESTS / "SKIPS.md").read_text(encoding="utf-8").splitlines()
    return [line.split("`")[1] for line in lines if line.startswith("- `")]


def _note_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    if not any(fnmatch.fnmatch(report.nodeid, pattern) for pattern in _expected_skips()):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        _unexpected.append(f"{report.nodeid}: {reason}")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _note_skip(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    _note_skip(report)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:
        session.config.workeroutput["unexpected skips"] = _unexpected
    clean = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    if clean and (_unexpected or NETWORK_ATTEMPTS.exists()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker has noted: pytest-xdist does not pass on what was skipped while tests were collected."""
    _unexpected.extend(
        line for line in getattr(node, "workeroutput", {}).get("unexpected skips", ()) if line not in _unexpected
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if NETWORK_ATTEMPTS.exists():
        terminalreporter.section("tried to reach a network", red=True)
        terminalreporter.write(NETWORK_ATTEMPTS.read_text(encoding="utf-8"))
    if _unexpected:
        terminalreporter.section("skipped, and not listed in tests/SKIPS.md", red=True)
        for line in _unexpected:
            terminalreporter.line(line)
