"""The settings file: what is set is read again, whatever it is, and what others have set stays."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from desktop_app import settings


@examples(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(["target", "mirror", "window"]), st.text() | st.binary()))
def test_what_is_set_is_read(home: Path, values: dict[str, settings.Value]) -> None:
    settings.write(values)
    found = settings.read()
    assert {key: found[key] for key in values} == values


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
