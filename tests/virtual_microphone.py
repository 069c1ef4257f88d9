"""A microphone that the tests own: a sound server of their own, PulseAudio or PipeWire, whose null sink is heard as an
input.

Nothing of the user's sound set-up is touched: home, sockets and ALSA's configuration lie in a temporary folder.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NAME = "Test microphone"
SYSTEM = "Monitor of Test speakers"

_ALSA = Path("/usr/share/alsa/alsa.conf")
PULSEAUDIO, PIPEWIRE = "PulseAudio", "PipeWire"
SERVERS = PULSEAUDIO, PIPEWIRE
_PROGRAMS = {
    PULSEAUDIO: ("pulseaudio", "pactl", "paplay"),
    PIPEWIRE: ("pipewire", "wireplumber", "pipewire-pulse", "dbus-run-session", "pactl", "paplay"),
}
_PIPEWIRE = "pipewire & sleep 0.5; wireplumber & pipewire-pulse & wait"
_SPEAKERS = (
    "sink_name=speakers",
    "rate=16000",
    "channels=1",
    """sink_properties='device.description="Test speakers"'""",
)
_MICROPHONE = (
    "source_name=microphone",
    "master=speakers.monitor",
    "rate=16000",
    "channels=1",
    """source_properties='device.description="Test microphone"'""",
)


class VirtualMicrophone:
    """What is played is heard by the default input and by the speakers' monitor."""

    def __init__(self) -> None:
        self._modules: list[str] = []

    def play(self, clip: Path) -> subprocess.Popen[bytes]:
        """Let it hear a clip."""
        return subprocess.Popen(["paplay", str(clip)])

    def pull(self) -> None:
        """Take it out, and the speakers with it."""
        for module in reversed(self._modules):
            pactl("unload-module", module)
        self._modules = []

    def put_back(self) -> None:
        """Put it in again."""
        self._modules.append(pactl("load-module", "module-null-sink", *_SPEAKERS))
        self._modules.append(pactl("load-module", "module-remap-source", *_MICROPHONE))
        _patiently("set-default-source", "microphone")  # PipeWire answers before it has made the source


def lacking(server: str = PULSEAUDIO) -> str:
    """Why there can be none on this computer, or ""."""
    if not sys.platform.startswith("linux"):
        return f"{server} is Linux's"
    missing = [program for program in _PROGRAMS[server] if shutil.which(program) is None]
    if missing:
        return f"{', '.join(missing)} not installed"
    if not _ALSA.exists() or not _plugin():
        return "ALSA's plugin for PulseAudio is not installed"
    try:
        import sounddevice  # noqa: F401
    except OSError:
        return "PortAudio is not installed"
    return ""


@contextmanager
def plugged(monkeypatch: pytest.MonkeyPatch, server: str = PULSEAUDIO) -> Iterator[VirtualMicrophone]:
    """Start the sound server; this process and its children reach it and nothing else."""
    folder = Path(tempfile.mkdtemp(prefix="galley-sound-"))
    socket = folder / "native"
    alsa = folder / "alsa.conf"
    alsa.write_text(f"<{_ALSA}>\n" + "".join(f"{kind}.!default {{ type pulse }}\n" for kind in ("pcm", "ctl")))
    for name in ("XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "PULSE_STATE_PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(alsa))
    monkeypatch.setenv("PULSE_SERVER", f"unix:{socket}")
    monkeypatch.setenv("PULSE_COOKIE", str(folder / "cookie"))
    monkeypatch.delenv("PULSE_SOURCE", raising=False)
    daemon = subprocess.Popen(
        _command(server, socket), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        _wait(daemon)
        microphone = VirtualMicrophone()
        microphone.put_back()
        yield microphone
    finally:
        os.killpg(daemon.pid, signal.SIGTERM)
        daemon.wait(10)
        shutil.rmtree(folder, ignore_errors=True)


def _command(server: str, socket: Path) -> list[str]:
    """What starts a sound server that answers at `socket`."""
    if server == PIPEWIRE:
        return ["dbus-run-session", "--", "sh", "-c", _PIPEWIRE]
    modules = [f"--load=module-native-protocol-unix socket={socket} auth-anonymous=1"]
    options = ["--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--realtime=no", "--log-level=error"]
    return ["pulseaudio", "-n", *options, *modules]


def pactl(*command: str) -> str:
    """Ask something of the daemon."""
    done = subprocess.run(["pactl", *command], capture_output=True, text=True, timeout=20, check=True)
    return done.stdout.strip()


def _patiently(*command: str) -> None:
    """Ask until it is done. Raises CalledProcessError where it is not within 20 s."""
    until = time.monotonic() + 20
    while True:
        try:
            pactl(*command)
            return
        except subprocess.CalledProcessError:
            if time.monotonic() > until:
                raise
        time.sleep(0.05)


def _wait(daemon: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 20
    while subprocess.run(["pactl", "info"], capture_output=True).returncode:
        assert daemon.poll() is None, "the sound server ended"
        assert time.monotonic() < until, "the sound server does not answer"
        time.sleep(0.05)


def _plugin() -> bool:
    """Whether ALSA finds libasound_module_pcm_pulse.so."""
    folders = [Path("/usr/lib"), Path("/usr/lib64"), *Path("/usr/lib").glob("*-linux-*")]
    return any((folder / "alsa-lib" / "libasound_module_pcm_pulse.so").exists() for folder in folders)
