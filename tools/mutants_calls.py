"""pytest's plugin of `tools.mutants`: notes which functions of the package each test calls, and its seconds.

The notes are written as JSON to the file that GALLEY_MUTANTS_CALLS names; without it nothing is noted. A property test
that fails ends at its first example: that it fails is enough.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType

import hypothesis
import pytest
from hypothesis import Phase

PACKAGE = f"{Path.cwd() / 'desktop_app'}{os.sep}"

hypothesis.settings.register_profile(
    "mutants", deadline=None, derandomize=True, database=None, phases=(Phase.explicit, Phase.generate)
)

_notes = os.environ.get("GALLEY_MUTANTS_CALLS")
_called: set[CodeType] = set()
_shared: defaultdict[str, set[str]] = defaultdict(set)  # by test file: called by fixtures, which later tests may share
_own: dict[str, set[str]] = {}
_seconds: defaultdict[str, float] = defaultdict(float)


def _note(frame: FrameType, event: str, argument: object) -> None:
    _called.add(frame.f_code)


def _names() -> set[str]:
    """The functions called since the last time, as "file:name"."""
    found = {
        f"{code.co_filename.removeprefix(PACKAGE)}:{code.co_qualname}"
        for code in list(_called)
        if code.co_filename.startswith(PACKAGE)
    }
    _called.clear()
    return found


if _notes:

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
        threading.settrace(_note)
        sys.settrace(_note)
        yield
        _shared[_file(item.nodeid)] |= _names()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
        yield
        sys.settrace(None)
        _own[item.nodeid] = _names()

    def pytest_runtest_logreport(report: pytest.TestReport) -> None:
        _seconds[report.nodeid] += report.duration

    def pytest_sessionfinish() -> None:
        calls = {test: sorted(own | _shared[_file(test)]) for test, own in _own.items()}
        notes = {test: {"seconds": round(_seconds[test], 2), "calls": calls[test]} for test in calls}
        Path(str(_notes)).write_text(json.dumps(notes), encoding="utf-8")


def _file(test: str) -> str:
    return test.partition("::")[0]
