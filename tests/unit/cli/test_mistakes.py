"""A mistake of Galley's own is one sentence for the user, and the whole of it is in the log."""

import argparse

import pytest

from desktop_app import cli, log


def test_a_mistake_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def wrong(found: argparse.Namespace) -> int:
        raise KeyError("what nobody\nthought of")

    monkeypatch.setattr(cli.devices, "run", wrong)
    assert cli.main(["devices"]) == cli.FAILED
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "Galley failed ('what nobody\\nthought of')" in err and str(log.path()) in err
    assert "Traceback" in log.path().read_text("utf-8")
