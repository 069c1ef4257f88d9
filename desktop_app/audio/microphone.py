"""The audio inputs of this computer, and streams from them through PortAudio.

sounddevice is imported only when it is used: without PortAudio its import raises.
"""

from __future__ import annotations

import contextlib
import errno
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import RLock
from typing import Any, Protocol

from desktop_app.audio import sound_server
from desktop_app.audio.ring import Ring
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE

LATENCY = 0.2
"""Seconds of sound that the driver may hold: room for a busy program, and a block every 50 ms or so."""

_USUAL = (48_000, 44_100)
_MANY = 8
_SERVER_DEVICE, _SERVER_HOST = "pulse", "PulseAudio"  # the way to the sound server that knows PULSE_SOURCE
_SERVER_ALIASES = (_SERVER_DEVICE, "pipewire", "default")
_LOOPBACK = "[Loopback]"
_WRONG_RATE, _WRONG_CHANNELS, _BUSY, _HOST = -9997, -9998, -9985, -9999

_lock = RLock()  # PortAudio is not safe to be used by two threads at once
_open: set[Any] = set()
_names: dict[str, str] = {}  # of inputs that were seen, by their ids: one that is gone has no other


@dataclass(frozen=True)
class Input:
    """Something that can be recorded.

    Attributes:
        id: names it for `open_stream`, also after a restart and when others come and go.
        name: for people; `host` is the system's interface that it is reached by.
        channels, rate: its own; any are taken.
        is_default: the system's choice.
        is_system: what the computer plays, not a microphone.
    """

    id: str
    name: str
    host: str
    channels: int
    rate: int
    is_default: bool
    is_system: bool


class InputStream(Protocol):
    """An open input: its sound comes into `ring`.

    Attributes:
        name: of the input, for people.
        is_system: what the computer plays, where silence is nothing strange.
        pauses: it sends nothing while all is quiet, so that the clock has to say how long that was.
    """

    name: str
    ring: Ring
    is_system: bool
    pauses: bool

    def is_lost(self) -> bool:
        """Whether the device has gone."""

    def is_listed(self) -> bool:
        """Whether the system still knows the input; takes a moment."""

    def close(self) -> None:
        """Release the device."""


def inputs() -> list[Input]:
    """Everything that can be recorded, the system's choice first. Takes up to a second: never in a window's thread.

    Raises Problem where there is nothing, or no PortAudio.
    """
    with _lock:
        _refresh()
        _, sources = _server()
        found = [*map(_of_source, sources or ()), *(one for one, _ in _devices(sources is not None))]
    if not found:
        raise _none()
    _names.update((one.id, one.name) for one in found)
    return sorted(found, key=lambda one: (not one.is_default, one.is_system))


def find(name: str) -> Input:
    """The input of that id, of that name, or the only one whose name holds it. Raises Problem."""
    found = inputs()
    wanted = name.casefold().strip()
    exact = [one for one in found if name == one.id or wanted == one.name.casefold()]
    some = exact or [one for one in found if wanted in one.name.casefold()]
    if not some:
        raise Problem("microphone.unknown", name=name)
    if len(some) > 1 and not exact:
        raise Problem("microphone.ambiguous", name=name)
    return some[0]


def no_system_audio() -> Problem:
    """What keeps this system from recording what the computer plays, where no input offers it."""
    if sys.platform == "darwin":
        return Problem("microphone.system_audio_macos")
    return Problem("microphone.system_audio_windows" if sys.platform == "win32" else "microphone.system_audio_linux")


def open_stream(input_id: str | None) -> InputStream:
    """Open an input; None is the system's current default. Raises Problem."""
    with _lock:
        sounddevice = _library()
        chosen, device, source = _find(input_id)
        refused: Exception | None = None
        for rate, channels in _attempts(chosen, served=device["name"] in _SERVER_ALIASES):
            microphone = _Microphone(chosen, Ring(rate, channels), source)
            try:
                with sound_server.choosing(source):
                    microphone.start(sounddevice, device["index"], LATENCY)
            except sounddevice.PortAudioError as error:
                refused = error
                if _code(error) not in (_WRONG_RATE, _WRONG_CHANNELS):
                    break
            else:
                _open.add(microphone)
                return microphone
        raise _explained(chosen.name, refused)


@contextlib.contextmanager
def lent(begin: Callable[[Any], Any]) -> Iterator[Any]:
    """The stream that `begin` opens with PortAudio, for somebody who plays sound; in the end it is closed.

    Raises Problem where there is no PortAudio, and what `begin` raises.
    """
    with _lock:
        stream = begin(_library())
        _open.add(stream)
    try:
        yield stream
    finally:
        stream.close(ignore_errors=True)
        with _lock:
            _open.discard(stream)


class _Microphone:
    """A stream of PortAudio. Its callback only copies into the ring."""

    def __init__(self, chosen: Input, ring: Ring, source: str) -> None:
        self.name, self.ring, self._source = chosen.name, ring, source
        self.is_system, self.pauses = chosen.is_system, chosen.name.endswith(_LOOPBACK)
        self._stream: Any = None

    def start(self, sounddevice: Any, device: int, latency: float) -> None:
        write = self.ring.write
        self._stream = sounddevice.RawInputStream(
            samplerate=self.ring.rate,
            channels=self.ring.channels,
            dtype="float32",
            device=device,
            latency=latency,
            callback=lambda sound, frames, when, status: write(sound, frames, status.input_overflow),
        )
        try:
            self._stream.start()
        except BaseException:
            self._stream.close(ignore_errors=True)
            raise

    def is_lost(self) -> bool:
        return not self._stream.active

    def is_listed(self) -> bool:
        """A sound server may move the stream of a device that goes to another one, without a word."""
        sources = sound_server.sources() if self._source else None
        return sources is None or any(source.name == self._source for source in sources)

    def close(self) -> None:
        self._stream.close(ignore_errors=True)
        with _lock:
            _open.discard(self)


def _refresh() -> Any:
    """PortAudio, which sees only what was there when it was started: it is started again unless something is open."""
    was_there = "sounddevice" in sys.modules
    sounddevice = _library()
    if was_there and not _open:
        with contextlib.suppress(sounddevice.PortAudioError):  # it may not have started the last time
            sounddevice._terminate()
        try:
            sounddevice._initialize()
        except sounddevice.PortAudioError as error:
            raise _broken(error) from error
    return sounddevice


def _library() -> Any:
    try:
        import sounddevice
    except (ImportError, OSError) as error:  # PortAudio is a library of the system
        raise Problem("microphone.no_portaudio") from error
    except Exception as error:  # its own, which cannot be named without it
        raise _broken(error) from error
    return sounddevice


def _broken(error: Exception) -> Problem:
    return Problem("microphone.portaudio", error=str(error))


def _server() -> tuple[dict[str, Any] | None, list[sound_server.ServerSource] | None]:
    """PortAudio's way to the sound server, and the inputs there; None and None where there is no such way."""
    inputs = [device for device in _library().query_devices() if device["max_input_channels"]]
    way = next((device for device in inputs if device["name"] == _SERVER_DEVICE), None)
    sources = sound_server.sources() if way is not None else None
    return (way, sources) if sources is not None else (None, None)


def _of_source(source: sound_server.ServerSource) -> Input:
    return Input(
        f"{source.server}:{source.name}",
        source.description,
        source.server,
        source.channels,
        source.rate,
        source.is_default,
        source.is_monitor,
    )


def _devices(served: bool) -> Iterator[tuple[Input, dict[str, Any]]]:
    """PortAudio's own inputs; `served` leaves out those that lead to a sound server, whose inputs have names."""
    sounddevice = _library()
    hosts = sounddevice.query_hostapis()
    default = sounddevice.default.device[0]
    seen: dict[str, int] = {}
    for device in sounddevice.query_devices():
        host, name = hosts[device["hostapi"]]["name"], device["name"]
        if not device["max_input_channels"] or (served and (name in _SERVER_ALIASES or host == _SERVER_HOST)):
            continue
        key = f"{host}:{name}"
        seen[key] = seen.get(key, 0) + 1
        yield (
            Input(
                id=key if seen[key] == 1 else f"{key}#{seen[key]}",
                name=name,
                host=host,
                channels=device["max_input_channels"],
                rate=round(device["default_samplerate"]),
                is_default=not served and device["index"] == default,
                is_system=name.endswith(_LOOPBACK) or name.startswith("Monitor of "),
            ),
            device,
        )


def _find(input_id: str | None) -> tuple[Input, dict[str, Any], str]:
    """The input, PortAudio's device to open, and the sound server's name for it or ""."""
    way, sources = _server()
    for source in sources or ():
        one = _of_source(source)
        if way is not None and (one.is_default if input_id is None else one.id == input_id):
            return one, way, source.name if input_id else ""
    _refresh()  # a sound server's list is always new, PortAudio's is not
    devices = list(_devices(sources is not None))
    for one, device in devices:
        if one.is_default if input_id is None else one.id == input_id:
            return one, device, ""
    if input_id is not None:
        name = _names.get(input_id) or input_id.partition(":")[2] or input_id
        raise Problem("microphone.not_connected", name=name)
    if not devices:
        raise _none()
    return *devices[0], ""


def _none() -> Problem:
    return Problem("microphone.none")


def _attempts(chosen: Input, served: bool) -> Iterator[tuple[int, int]]:
    """Rates and channels to try in turn: the input's own rate first, as soxr converts better than most drivers."""
    rates = dict.fromkeys((chosen.rate, SAMPLE_RATE, *_USUAL))
    # A sound server mixes down by itself; an input of very many channels is another program's, or a studio's.
    counts = dict.fromkeys((1 if served else min(chosen.channels, _MANY), chosen.channels, 2, 1))
    for rate in rates:
        for channels in counts:
            yield rate, channels


def _code(error: Exception) -> int:
    return error.args[1] if len(error.args) > 1 and isinstance(error.args[1], int) else 0


def _explained(name: str, error: Exception | None) -> Problem:
    """The Problem that an error of PortAudio means."""
    code = _code(error) if error else 0
    host_code, text = 0, str(error.args[0]) if error and error.args else ""
    if error and len(error.args) > 2:
        _, host_code, host_text = error.args[2]
        text = host_text or text
    message = text.casefold()
    if code == _WRONG_RATE:
        return Problem("microphone.sample_rate", name=name)
    if code == _WRONG_CHANNELS:
        return Problem("microphone.channels", name=name)
    if abs(host_code) in (errno.EACCES, errno.EPERM) or _unsigned(host_code) == 0x80070005 or _any(message, "denied"):
        return Problem("microphone.forbidden", name=name)
    busy = abs(host_code) == errno.EBUSY or _unsigned(host_code) == 0x8889000A or _any(message, "busy", "in use")
    if code == _BUSY or busy:
        return Problem("microphone.busy", name=name)
    return Problem("microphone.not_opened", name=name, error=text or f"PortAudio {code}")


def _unsigned(code: int) -> int:
    return code & 0xFFFFFFFF


def _any(text: str, *words: str) -> bool:
    return any(word in text for word in words)
