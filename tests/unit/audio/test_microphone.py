"""Which inputs there are, and what a user reads when one cannot be heard. PortAudio is a double here."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from desktop_app.app.presentation.problems import sentence
from desktop_app.audio import microphone, sound_server
from desktop_app.audio.sound_server import ServerSource
from desktop_app.problems import Problem


class PortAudioError(Exception):
    """As sounddevice's: a text, a code, and perhaps what the host said."""


class Library:
    """As much of sounddevice as is used. `refuse` may raise for a device, a rate and channels."""

    PortAudioError = PortAudioError

    def __init__(self) -> None:
        self.devices: list[tuple[str, str, int, int]] = []  # host, name, channels, rate
        self.opened: list[tuple[str, int, int]] = []
        self.starts = 0
        self.refuse: Callable[[str, int, int], None] = lambda name, rate, channels: None
        self.default = type("Default", (), {"device": [0, 0]})

    def query_hostapis(self) -> list[dict[str, str]]:
        return [{"name": host} for host in dict.fromkeys(host for host, *_ in self.devices)]

    def query_devices(self) -> list[dict[str, Any]]:
        hosts = [host["name"] for host in self.query_hostapis()]
        return [
            {
                "index": index,
                "name": name,
                "hostapi": hosts.index(host),
                "max_input_channels": channels,
                "default_samplerate": float(rate),
            }
            for index, (host, name, channels, rate) in enumerate(self.devices)
        ]

    def _initialize(self) -> None:
        self.starts += 1

    def _terminate(self) -> None:
        pass

    def RawInputStream(self, samplerate: int, channels: int, device: int, **rest: Any) -> Any:
        name = self.devices[device][1]
        self.refuse(name, samplerate, channels)
        self.opened.append((name, samplerate, channels))
        return StreamDouble(rest["callback"])


class StreamDouble:
    active = True

    def __init__(self, callback: Callable[..., None]) -> None:
        self.callback = callback

    def start(self) -> None:
        pass

    def close(self, ignore_errors: bool) -> None:
        self.active = False


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    double = Library()
    monkeypatch.setitem(sys.modules, "sounddevice", double)
    monkeypatch.setattr(sound_server, "sources", lambda: None)
    monkeypatch.setattr(microphone, "_names", {})
    return double


def problem(act: Callable[[], object]) -> Problem:
    with pytest.raises(Problem) as caught:
        act()
    return caught.value


def test_every_input_is_listed_with_its_host_the_systems_choice_first(library: Library) -> None:
    library.devices = [
        ("MME", "Microphone (USB)", 1, 44_100),
        ("MME", "Speakers", 0, 44_100),
        ("Windows WASAPI", "Microphone (USB)", 2, 48_000),
        ("Windows WASAPI", "Microphone (USB)", 2, 48_000),
        ("Windows WASAPI", "Speakers (Realtek) [Loopback]", 2, 48_000),
    ]
    library.default.device = [2, 1]
    found = microphone.inputs()
    assert [(one.id, one.is_default, one.is_system) for one in found] == [
        ("Windows WASAPI:Microphone (USB)", True, False),
        ("MME:Microphone (USB)", False, False),
        ("Windows WASAPI:Microphone (USB)#2", False, False),
        ("Windows WASAPI:Speakers (Realtek) [Loopback]", False, True),
    ]
    assert (found[1].name, found[1].host, found[1].channels, found[1].rate) == ("Microphone (USB)", "MME", 1, 44_100)
    assert library.starts == 1, "PortAudio looks again"


def test_a_sound_servers_inputs_have_their_own_names(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [
        ServerSource(
            "out.monitor", "Monitor of Speakers", 2, 48_000, is_monitor=True, is_default=False, server="PipeWire"
        ),
        ServerSource("usb", "USB Microphone", 1, 48_000, is_monitor=False, is_default=True, server="PipeWire"),
    ]
    monkeypatch.setattr(sound_server, "sources", lambda: sources)
    library.devices = [("ALSA", "hw:0", 2, 48_000), ("ALSA", "pulse", 32, 44_100), ("ALSA", "default", 32, 44_100)]
    found = microphone.inputs()
    assert [one.name for one in found] == ["USB Microphone", "hw:0", "Monitor of Speakers"]
    assert [one.is_system for one in found] == [False, False, True]
    chosen = []
    library.refuse = lambda name, rate, channels: chosen.append(sound_server.os.environ.get("PULSE_SOURCE"))
    for one in (None, "PipeWire:out.monitor"):
        microphone.open_stream(one).close()
    assert chosen == [None, "out.monitor"]
    assert library.opened == [("pulse", 48_000, 1), ("pulse", 48_000, 1)]
    assert "PULSE_SOURCE" not in sound_server.os.environ


def test_an_input_that_is_gone_is_called_as_it_was_shown(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    library.devices = [("ALSA", "pulse", 32, 44_100)]
    usb = ServerSource(
        "alsa_input.usb", "Desk microphone", 1, 48_000, is_monitor=False, is_default=True, server="PipeWire"
    )
    monkeypatch.setattr(sound_server, "sources", lambda: [usb])
    (found,) = microphone.inputs()
    monkeypatch.setattr(sound_server, "sources", list)
    assert problem(lambda: microphone.open_stream(found.id)).values == {"name": "Desk microphone"}


def test_without_a_way_to_name_them_a_sound_servers_inputs_are_not_offered(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ALSA's plugin for PipeWire does not know PULSE_SOURCE: it would hear another input without a word."""
    source = ServerSource("usb", "USB", 1, 48_000, is_monitor=False, is_default=True, server="PipeWire")
    monkeypatch.setattr(sound_server, "sources", lambda: [source])
    library.devices = [("ALSA", "pipewire", 64, 44_100), ("ALSA", "default", 64, 44_100)]
    assert [one.name for one in microphone.inputs()] == ["pipewire", "default"]


def test_the_inputs_own_rate_is_tried_first_then_those_that_every_device_knows(library: Library) -> None:
    library.devices = [("ALSA", "hw:0", 2, 96_000)]

    def refuse(name: str, rate: int, channels: int) -> None:
        if rate != 44_100:
            raise PortAudioError("Invalid sample rate", -9997)

    library.refuse = refuse
    stream = microphone.open_stream(None)
    assert (stream.ring.rate, stream.ring.channels) == (44_100, 2)
    stream.close()


def test_other_channels_are_tried_when_those_are_refused(library: Library) -> None:
    library.devices = [("Core Audio", "Interface", 12, 48_000)]

    def refuse(name: str, rate: int, channels: int) -> None:
        if channels != 12:
            raise PortAudioError("Invalid number of channels", -9998)

    library.refuse = refuse
    stream = microphone.open_stream(None)
    assert stream.ring.channels == 12
    stream.close()


def test_the_callback_copies_into_the_ring(library: Library) -> None:
    library.devices = [("ALSA", "hw:0", 1, 16_000)]
    stream: Any = microphone.open_stream(None)
    status = type("Status", (), {"input_overflow": False})
    sound = np.arange(160, dtype=np.float32)
    stream._stream.callback(memoryview(sound.tobytes()), 160, None, status)
    ((block, lost),) = stream.ring.read()
    np.testing.assert_array_equal(block[:, 0], sound)
    assert not lost
    assert not stream.is_lost()
    stream.close()
    assert stream.is_lost()


def refusal(*what: object) -> PortAudioError:
    return PortAudioError("Error opening RawInputStream", *what)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (refusal(-9997), "sample_rate"),
        (refusal(-9998), "channels"),
        (
            refusal(-9985),
            "busy",
        ),
        (
            refusal(-9999, (0, -errno.EBUSY, "Device or resource busy")),
            "busy",
        ),
        (
            refusal(-9999, (0, -2004287478, "")),
            "busy",
        ),
        (
            refusal(-9999, (0, -errno.EACCES, "Permission denied")),
            "forbidden",
        ),
        (
            refusal(-9999, (0, -2147024891, "Access is denied.")),
            "forbidden",
        ),
        (
            refusal(-9999, (0, -5, "Input/output error")),
            "not_opened",
        ),
    ],
)
def test_each_refusal_is_understood(library: Library, error: PortAudioError, code: str) -> None:
    library.devices = [("ALSA", "Mic", 1, 48_000)]

    def refuse(name: str, rate: int, channels: int) -> None:
        raise error

    library.refuse = refuse
    found = problem(lambda: microphone.open_stream(None))
    assert (found.code, found.values["name"]) == (f"microphone.{code}", "Mic")
    assert found.values.get("error", "Input/output error") == "Input/output error"


def test_without_an_input_and_without_portaudio(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Problem("microphone.none")
    assert problem(microphone.inputs) == nothing
    assert problem(lambda: microphone.open_stream(None)) == nothing
    assert problem(lambda: microphone.open_stream("ALSA:Mic")) == Problem("microphone.not_connected", name="Mic")
    monkeypatch.setattr(library, "_initialize", fail)
    assert problem(microphone.inputs) == Problem("microphone.portaudio", error="no sound today")
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    assert problem(microphone.inputs) == Problem("microphone.no_portaudio")


def fail() -> None:
    raise PortAudioError("no sound today")


def test_an_input_is_found_by_a_part_of_its_name(library: Library) -> None:
    library.devices = [("ALSA", "USB Microphone", 1, 48_000), ("ALSA", "USB Camera", 1, 48_000)]
    assert microphone.find("camera").name == "USB Camera"
    assert microphone.find("ALSA:USB Microphone").name == "USB Microphone"
    assert problem(lambda: microphone.find("usb")) == Problem("microphone.ambiguous", name="usb")
    assert problem(lambda: microphone.find("line")) == Problem("microphone.unknown", name="line")


@pytest.mark.parametrize(("system", "word"), [("darwin", "BlackHole"), ("win32", "Stereo Mix"), ("linux", "PipeWire")])
def test_each_system_learns_how_to_record_what_it_plays(
    monkeypatch: pytest.MonkeyPatch, system: str, word: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    assert word in sentence(microphone.no_system_audio())


SERVER_OUTPUT = """[{"name": "usb", "description": "USB Microphone", "sample_specification": "s16le 1ch 44100Hz",
 "monitor_source": "n/a"}, {"name": "out.monitor", "description": "", "sample_specification": "float32le 6ch 48000Hz",
 "monitor_source": "out"}]"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="PulseAudio is Linux's")
def test_the_sound_server_is_asked_by_its_own_program(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "pactl"
    info = '{"server_name": "PulseAudio (on PipeWire 1.0.5)", "default_source_name": "usb"}'
    program.write_text(f"#!/bin/sh\ncase \"$*\" in *info*) echo '{info}';; *) echo '{SERVER_OUTPUT}';; esac\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{sound_server.os.environ['PATH']}")
    assert sound_server.sources() == [
        ServerSource("usb", "USB Microphone", 1, 44_100, is_monitor=False, is_default=True, server="PipeWire"),
        ServerSource("out.monitor", "out.monitor", 6, 48_000, is_monitor=True, is_default=False, server="PipeWire"),
    ]
    dummy, info = SERVER_OUTPUT.replace("out.monitor", "auto_null.monitor"), info.replace("usb", "auto_null.monitor")
    program.write_text(f"#!/bin/sh\ncase \"$*\" in *info*) echo '{info}';; *) echo '{dummy}';; esac\n")
    assert not any(source.is_default for source in sound_server.sources() or ()), "a dummy is nobody's choice"
    program.write_text("#!/bin/sh\nexit 1\n")
    assert sound_server.sources() is None
