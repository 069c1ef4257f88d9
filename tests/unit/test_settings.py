"""The settings file: what is set is read again, whatever it is, and what others have set stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from desktop_app import settings

ANY = st.text(st.characters(exclude_categories=()))
"""With lone surrogates too, which stand in the names of files that are no UTF-8."""


@examples(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(["target", "mirror", "window"]), ANY))
def test_what_is_set_is_read(home: Path, values: dict[str, str]) -> None:
    settings.write(values)
    found = settings.read()
    assert {key: found[key] for key in values} == values


@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        "a\nb",
        "a\rb",
        "\t",
        "\0",
        "日本\u2028\x85",
        "a = b; c, d",
        '"',
        '"a"',
        '"a',
        "\\n",
        "[General]",
        "/\udcff",
    ],
)
def test_what_is_hard_to_write_on_a_line(home: Path, value: str) -> None:
    settings.write({"before": "1", "key": value, "then": "2"})
    assert settings.read() == {"before": "1", "key": value, "then": "2"}


def test_people_can_read_and_write_the_file(home: Path) -> None:
    settings.write({"target": r"C:\models\größer; neu"})
    assert settings.path().read_text("utf-8") == "[General]\ntarget=C:\\models\\größer; neu\n"


def test_what_another_program_has_set_stays(home: Path) -> None:
    settings.write({"target": "/models/large", "draft": "off"})
    settings.write({"draft": "auto"})
    assert settings.read() == {"target": "/models/large", "draft": "auto"}
    assert list(settings.path().parent.iterdir()) == [settings.path()], "no draft of the file is left"


def test_no_file_and_no_settings_file_at_all(home: Path) -> None:
    assert settings.read() == {}
    settings.path().parent.mkdir(parents=True)
    settings.path().write_bytes(b"\xff\xfe\n[Other]\ntarget=no\n\0=\x80\n[General]\nmirror = https://hub \nno value\n")
    assert settings.read()["mirror"] == "https://hub"
    assert "target" not in settings.read()
