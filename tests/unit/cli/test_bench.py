"""`galley bench`: every benchmark of the table is there, and only the one that is asked for is loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

from desktop_app.cli import arguments, bench, main


@pytest.mark.parametrize("name", bench.BENCHMARKS)
def test_each_benchmark_has_its_module(name: str) -> None:
    assert getattr(bench.load(name), "__name__", "") == f"desktop_app.measure.{name}"
    operands = {"accuracy": ["folder"], "drafters": ["file"], "speed": ["file"]}.get(name, [])
    assert arguments.command("bench", [name, *operands, "--json", "figures.json"]).json == "figures.json"


def test_an_unknown_benchmark_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "lottery"]) == 2
    assert "live" in capsys.readouterr().err


def test_a_list_of_benchmarks_loads_none() -> None:
    program = "import sys; from desktop_app.cli import main; main(['bench', '--help']); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_words_without_times_are_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from desktop_app.measure import live

    def fail(*arguments: object) -> None:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(live, "_measure", fail)
    assert main(["bench", "live"]) == 1
    assert "The word times cannot be read" in capsys.readouterr().err
