"""The settings file that Qt wrote for earlier Galleys is read, and Qt reads what is written now."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray, QSettings

from desktop_app import settings

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
KNOWN = [
    "", " ", "/tmp/Jörg & Co; a, b = c", r"C:\Users\xff\x", 'a "name"', "@ByteArray(", "@@", "日本\u2028\x85",
    "%2Fmodels", "\x0112f\x7ff",
]  # fmt: skip


def by_qt(value: settings.Value) -> settings.Value:
    """What Qt has written, as it is read here."""
    kept = QSettings(str(settings.path()), QSettings.Format.IniFormat)
    kept.clear()
    kept.setValue("key", QByteArray(value) if isinstance(value, bytes) else value)
    kept.sync()
    return settings.read()["key"]


def for_qt(value: settings.Value) -> object:
    """What is written here, as Qt reads it."""
    settings.path().unlink(missing_ok=True)
    settings.write({"key": value})
    found = QSettings(str(settings.path()), QSettings.Format.IniFormat).value("key")
    return found.data() if isinstance(found, QByteArray) else found


@pytest.mark.parametrize("value", [*KNOWN, bytes(range(256)), b""])
def test_what_is_known_to_be_hard(home: Path, value: settings.Value) -> None:
    assert by_qt(value) == value
    assert for_qt(value) == value


@examples(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS | st.binary())
def test_anything(home: Path, value: settings.Value) -> None:
    assert by_qt(value) == value
    assert for_qt(value) == value


def test_a_number_of_an_earlier_galley_is_read(home: Path) -> None:
    kept = QSettings(str(settings.path()), QSettings.Format.IniFormat)
    kept.setValue("captions_letters", 22)
    kept.sync()
    assert settings.read() == {"captions_letters": "22"}
