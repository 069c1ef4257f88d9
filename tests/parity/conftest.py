"""What the comparisons share: torch on one thread, finished cases that are kept, and a list of what was accepted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.parity.comparison import Case, Outcome


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Torch's threads wait for each other for ages where something else is running too."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def case(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Case:
    """Runs a comparison, or takes what it gave in a run before, and has it reported. KEEP= names the folder of what
    passed; it holds for one state of the code, so it is to be emptied when that changes.
    """

    def run(compare: Callable[[], Outcome]) -> Outcome:
        folder = os.environ.get("GALLEY_PARITY_KEEP")
        clips = os.environ.get("GALLEY_PARITY_CLIPS", "")
        file = Path(folder) / f"{request.node.name}{clips and f' {clips}'}.json" if folder else None
        if file is not None and file.is_file():
            outcome = Outcome(**json.loads(file.read_text("utf-8")))
        else:
            outcome = compare()
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(json.dumps(asdict(outcome)), "utf-8")
        record_property("outcome", asdict(outcome))  # plain values, which a worker can pass on
        return outcome

    return run


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    found = [
        (report.nodeid.partition("::")[2], Outcome(**dict(report.user_properties)["outcome"]))
        for report in terminalreporter.getreports("passed")
        if "outcome" in dict(report.user_properties)
    ]
    found = [(name, outcome) for name, outcome in found if outcome.compared]
    if not found:
        return
    terminalreporter.section("compared with the references")
    compared, tokens = (sum(getattr(outcome, name) for _, outcome in found) for name in ("compared", "tokens"))
    exceptions = [f"{name} {told}" for name, outcome in found for told in outcome.exceptions]
    terminalreporter.line(f"{compared} texts, {tokens} equal tokens, {len(exceptions)} differences accepted")
    for told in exceptions:
        terminalreporter.line(told)
