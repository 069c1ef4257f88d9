"""Any audio or video becomes 16 kHz mono; what cannot be read has its problem."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from desktop_app.audio import decoder
from desktop_app.audio.files import AudioFile
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from tests.decoded import decoded

Samples = npt.NDArray[np.float32]


def tone(seconds: float, rate: int, pitch: float = 440.0, level: float = 0.5) -> npt.NDArray[np.float64]:
    return level * np.sin(2 * np.pi * pitch * np.arange(round(seconds * rate)) / rate)


def read(path: Path | str) -> Samples:
    with AudioFile(path) as audio:
        blocks = list(audio)
    assert all(block.dtype == np.float32 and block.ndim == 1 for block in blocks)
    return np.concatenate(blocks)


def problem(path: Path | str) -> Problem:
    with pytest.raises(Problem) as caught, AudioFile(path) as audio:
        list(audio)
    return caught.value


def loudest_pitch(sound: Samples) -> float:
    return float(np.abs(np.fft.rfft(sound)).argmax() * SAMPLE_RATE / sound.size)


def encode(path: Path, codec: str, rate: int, seconds: float, layout: str = "stereo", **options: str) -> None:
    """Write a tone with one of FFmpeg's encoders."""
    with av.open(str(path), "w", options=options) as container:
        stream = container.add_stream(codec, rate=rate, layout=layout)
        stream.bit_rate = 128_000
        resampler = av.AudioResampler(format=stream.codec_context.format, layout=layout, rate=rate)
        count = len(av.AudioLayout(layout).channels)
        sound = np.repeat(tone(seconds, rate)[None].astype(np.float32), count, axis=0)
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(sound), format="fltp", layout=layout)
        frame.sample_rate = rate
        for ready in [*resampler.resample(frame), None]:
            container.mux(stream.encode(ready))


def video(path: Path, sound_after: float | None = None) -> None:
    """Two seconds of grey pictures; with `sound_after`, sound that begins so much later."""
    with av.open(str(path), "w") as container:
        pictures = container.add_stream("mpeg4", rate=10)
        pictures.width, pictures.height, pictures.pix_fmt = 32, 32, "yuv420p"
        sound = container.add_stream("pcm_s16le", rate=16_000, layout="mono") if sound_after is not None else None
        for _ in range(20):
            grey = av.VideoFrame.from_ndarray(np.full((32, 32, 3), 128, np.uint8), format="rgb24")
            container.mux(pictures.encode(grey))
        container.mux(pictures.encode(None))
        if sound is not None and sound_after is not None:
            samples = (tone(1.0, 16_000) * 32_767).astype(np.int16)[None]
            frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
            frame.sample_rate, frame.pts = 16_000, round(sound_after * 16_000)
            container.mux(sound.encode(frame))
            container.mux(sound.encode(None))


def test_sixteen_kilohertz_mono_comes_through_untouched(tmp_path: Path) -> None:
    sound = (np.random.default_rng(0).standard_normal(20_000) * 5000).astype(np.int16)
    soundfile.write(tmp_path / "plain.wav", sound, SAMPLE_RATE)
    assert np.array_equal(read(tmp_path / "plain.wav"), sound.astype(np.float32) / 32_768)


@pytest.mark.parametrize("kind", ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "ULAW", "MS_ADPCM"])
def test_every_depth_has_the_same_level(tmp_path: Path, kind: str) -> None:
    soundfile.write(tmp_path / "deep.wav", tone(1.0, SAMPLE_RATE), SAMPLE_RATE, subtype=kind)
    sound = read(tmp_path / "deep.wav")[:SAMPLE_RATE]
    assert np.abs(sound - tone(1.0, SAMPLE_RATE)[: sound.size]).max() < 0.03


@pytest.mark.parametrize("rate", [4000, 8000, 11_025, 22_050, 44_100, 48_000, 192_000])
def test_every_rate_keeps_pitch_and_length(tmp_path: Path, rate: int) -> None:
    soundfile.write(tmp_path / "rate.wav", tone(2.0, rate), rate)
    sound = read(tmp_path / "rate.wav")
    assert abs(sound.size - 2 * SAMPLE_RATE) <= 2
    assert loudest_pitch(sound) == pytest.approx(440, abs=1)
    assert np.abs(sound[SAMPLE_RATE // 2 : SAMPLE_RATE]).max() == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("channels", [2, 6, 8, 24])
def test_channels_are_averaged(tmp_path: Path, channels: int) -> None:
    levels = np.linspace(0.0, 0.5, channels)
    soundfile.write(tmp_path / "many.w64", tone(1.0, SAMPLE_RATE, level=1.0)[:, None] * levels, SAMPLE_RATE)
    assert np.abs(read(tmp_path / "many.w64")).max() == pytest.approx(levels.mean(), abs=0.001)


@pytest.mark.parametrize(
    ("name", "codec", "layout", "options"),
    [
        ("a.m4a", "aac", "7.1", {}),
        ("a.opus", "libopus", "10 channels", {"mapping_family": "255"}),
        ("a.wv", "wavpack", "10 channels", {}),
        ("b.wv", "wavpack", "64 channels", {}),
    ],
)
def test_many_planes_are_mixed_down(
    tmp_path: Path, name: str, codec: str, layout: str, options: dict[str, str]
) -> None:
    """PyAV reads behind the end of frames of eight planes and more."""
    with av.open(str(tmp_path / name), "w") as container:
        stream = container.add_stream(codec, rate=48_000, layout=layout, options=options)
        wanted = stream.codec_context.format
        convert = av.AudioResampler(format=wanted, layout=layout, rate=48_000)
        channels = av.AudioLayout(layout).nb_channels
        levels = np.linspace(0.0, 1.0, channels)
        sound = (tone(1.0, 48_000)[:, None] * levels).astype(np.float32).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(sound, format="flt", layout=layout)
        frame.sample_rate = 48_000
        for ready in [*convert.resample(frame), None]:
            container.mux(stream.encode(ready))
    sound = read(tmp_path / name)
    assert loudest_pitch(sound) == pytest.approx(440, abs=1)
    assert np.abs(sound[2000:14_000]).max() == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize("rate", [1, 999])
def test_an_impossible_sample_rate_is_refused(tmp_path: Path, rate: int) -> None:
    """A file of 55 bytes, at one sample a second, made hours of sound of nothing."""
    soundfile.write(tmp_path / "slow.wav", np.zeros(10_000, np.int16), rate)
    assert problem(tmp_path / "slow.wav") == Problem("file.sample_rate", rate=rate)


@pytest.mark.parametrize(
    ("name", "codec", "rate"),
    [
        ("a.mp3", "libmp3lame", 44_100),
        ("a.m4a", "aac", 44_100),
        ("a.mp4", "aac", 48_000),
        ("a.ogg", "libopus", 48_000),
        ("a.opus", "libopus", 48_000),
        ("a.webm", "libopus", 48_000),
        ("a.mkv", "pcm_s16le", 44_100),
        ("a.flac", "flac", 22_050),
        ("a.wma", "wmav2", 44_100),
        ("a.ts", "aac", 48_000),
        ("a.aiff", "pcm_s16be", 44_100),
        ("a.caf", "pcm_s24le", 48_000),
        ("a.amr.mov", "pcm_s16be", 8000),
    ],
)
def test_containers_and_codecs(tmp_path: Path, name: str, codec: str, rate: int) -> None:
    encode(tmp_path / name, codec, rate, 3.0)
    with AudioFile(tmp_path / name) as audio:
        sound = np.concatenate(list(audio))
        assert audio.damage is None
    assert audio.seconds == pytest.approx(3.0, abs=0.15)
    assert sound.size / SAMPLE_RATE == pytest.approx(3.0, abs=0.15)
    assert loudest_pitch(sound) == pytest.approx(440, abs=1)


def test_vorbis(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.ogg", tone(2.0, 44_100), 44_100)
    assert loudest_pitch(read(tmp_path / "a.ogg")) == pytest.approx(440, abs=1)


def test_the_header_of_a_streamed_wav_may_lie_about_its_length(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "good.wav", tone(2.0, SAMPLE_RATE), SAMPLE_RATE)
    good = (tmp_path / "good.wav").read_bytes()
    at = good.index(b"data") + 4
    for number, lie in enumerate([b"\xff\xff\xff\xff", b"\0\0\0\0", (2**31 - 1).to_bytes(4, "little")]):
        path = tmp_path / f"{number}.wav"
        path.write_bytes(good[:at] + lie + good[at + 4 :])
        assert read(path).size == 2 * SAMPLE_RATE


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e30, -1e6])
def test_impossible_samples_are_silence_and_that_is_said(tmp_path: Path, bad: float) -> None:
    """One of them, taken as it is, would make Whisper deaf to everything else in its window."""
    sound = tone(1.0, SAMPLE_RATE)
    soundfile.write(tmp_path / "good.wav", sound, SAMPLE_RATE, subtype="FLOAT")
    sound[100:200] = bad
    soundfile.write(tmp_path / "holes.wav", sound, SAMPLE_RATE, subtype="FLOAT")
    with AudioFile(tmp_path / "holes.wav") as audio:
        got = np.concatenate(list(audio))
    expected = read(tmp_path / "good.wav")
    expected[100:200] = 0.0
    assert np.array_equal(got, expected)
    assert audio.damage == Problem("file.bad_samples")


def test_a_channel_of_impossible_samples_leaves_the_others(tmp_path: Path) -> None:
    sound = np.stack([tone(1.0, SAMPLE_RATE), np.full(SAMPLE_RATE, 1e30)], axis=1)
    soundfile.write(tmp_path / "half.wav", sound, SAMPLE_RATE, subtype="DOUBLE")
    assert np.abs(read(tmp_path / "half.wav") - tone(1.0, SAMPLE_RATE) / 2).max() < 1e-6


def test_floats_in_units_of_16_bits_are_no_damage(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "loud.wav", tone(1.0, SAMPLE_RATE, level=32_000.0), SAMPLE_RATE, subtype="FLOAT")
    with AudioFile(tmp_path / "loud.wav") as audio:
        assert max(np.abs(block).max() for block in audio) > 31_000
    assert audio.damage is None


def test_sound_that_begins_later_than_its_video_keeps_its_time(tmp_path: Path) -> None:
    video(tmp_path / "late.mkv", sound_after=0.75)
    sound = read(tmp_path / "late.mkv")
    assert not sound[: int(0.74 * SAMPLE_RATE)].any()
    assert np.abs(sound[int(0.76 * SAMPLE_RATE) : int(0.8 * SAMPLE_RATE)]).max() > 0.4
    assert sound.size / SAMPLE_RATE == pytest.approx(1.75, abs=0.01)


def late(path: Path, pictures: str | None, sound: str, rate: int, after: float = 5.0) -> None:
    """Two seconds of sound, the first `after` seconds of a container with ten seconds of pictures or nothing else."""
    with av.open(str(path), "w") as container:
        shown = container.add_stream(pictures, rate=25) if pictures else None
        stream = container.add_stream(sound, rate=rate, layout="mono")
        assert isinstance(stream, av.AudioStream)
        packets: list[av.Packet] = []
        if shown is not None:
            assert isinstance(shown, av.VideoStream)
            shown.width, shown.height, shown.pix_fmt = 64, 64, "yuv420p"
            for number in range(10 * 25):
                grey = av.VideoFrame.from_ndarray(np.full((64, 64, 3), 128, np.uint8), format="rgb24")
                grey.pts = number
                packets += shown.encode(grey)
            packets += shown.encode(None)
        resampler = av.AudioResampler(stream.codec_context.format, "mono", rate, stream.codec_context.frame_size)
        frame = av.AudioFrame.from_ndarray(tone(2.0, rate)[None].astype(np.float32), format="fltp", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = rate, round(after * rate), Fraction(1, rate)
        for ready in [*resampler.resample(frame), *resampler.resample(None), None]:
            packets += stream.encode(ready)
        for packet in sorted(packets, key=lambda each: float((each.dts or 0) * (each.time_base or 0))):
            container.mux(packet)


@pytest.mark.parametrize(
    ("name", "pictures", "sound", "rate"),
    [
        ("late.ts", "mpeg2video", "aac", 48_000),
        ("late.flv", "flv1", "libmp3lame", 44_100),
        ("late.mkv", "mpeg4", "aac", 48_000),
    ],
)
@pytest.mark.parametrize("start", [0.0, 3.0])
def test_sound_that_begins_late_and_ends_early_keeps_its_time(
    tmp_path: Path, name: str, pictures: str, sound: str, rate: int, start: float
) -> None:
    """Pictures that go on without sound are no damage either."""
    late(tmp_path / name, pictures, sound, rate)
    with AudioFile(tmp_path / name, start) as audio:
        found = np.concatenate(list(audio))
    assert audio.damage is None
    assert not found[: int((4.9 - start) * SAMPLE_RATE)].any()
    begin = int((5.1 - start) * SAMPLE_RATE)
    assert np.abs(found[begin : begin + 1600]).max() > 0.3
    assert found.size / SAMPLE_RATE == pytest.approx(7.0 - start, abs=0.06)


@pytest.mark.parametrize("name", ["late.ts", "late.flv", "late.mkv"])
def test_sound_alone_that_begins_late_begins_the_container(tmp_path: Path, name: str) -> None:
    """Its clock began elsewhere, as that of a broadcast: time 0 is where there is something."""
    late(tmp_path / name, None, "aac", 44_100)
    found, damage = decoded(tmp_path / name)
    assert damage is None
    assert np.abs(found[1600:3200]).max() > 0.3
    assert found.size / SAMPLE_RATE == pytest.approx(2.0, abs=0.06)


def test_pictures_that_break_off_with_their_sound_are_cut_short(tmp_path: Path) -> None:
    late(tmp_path / "whole.flv", "flv1", "libmp3lame", 44_100, after=0.0)
    content = (tmp_path / "whole.flv").read_bytes()
    (tmp_path / "cut.flv").write_bytes(content[: 2 * len(content) // 3])
    with AudioFile(tmp_path / "cut.flv") as audio:
        list(audio)
    assert audio.damage is not None and audio.damage.code == "file.cut_short"


def test_a_gap_of_a_hundred_hours_is_skipped_and_reported(tmp_path: Path) -> None:
    with av.open(str(tmp_path / "gap.mkv"), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=16_000, layout="mono")
        samples = (tone(1.0, 16_000) * 32_767).astype(np.int16)[None]
        for place in (0, 60, 360_000, 360_001):
            frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
            frame.sample_rate, frame.pts = 16_000, place * 16_000
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with AudioFile(tmp_path / "gap.mkv") as audio:
        sound = np.concatenate(list(audio))
    assert sound.size / SAMPLE_RATE == pytest.approx(63, abs=0.1)
    assert not sound[2 * SAMPLE_RATE : 59 * SAMPLE_RATE].any()
    assert audio.damage == Problem("file.gap", length="99:58:59")


def test_sound_that_begins_behind_megabytes_of_pictures_is_found(tmp_path: Path) -> None:
    """An MPEG stream does not say at its beginning what it will hold."""
    noise = np.random.default_rng(0)
    with av.open(str(tmp_path / "late.mpg"), "w", format="mpeg") as container:
        pictures = container.add_stream("mpeg2video", rate=25)
        pictures.width, pictures.height, pictures.pix_fmt = 480, 480, "yuv420p"
        pictures.bit_rate = 20_000_000
        sound = container.add_stream("mp2", rate=48_000, layout="mono")
        for _ in range(125):
            picture = noise.integers(0, 255, (480, 480, 3)).astype(np.uint8)
            container.mux(pictures.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(pictures.encode(None))
        samples = (tone(1.0, 48_000) * 32_767).astype(np.int16)
        for first in range(0, samples.size - 1151, 1152):
            frame = av.AudioFrame.from_ndarray(samples[None, first : first + 1152], format="s16", layout="mono")
            frame.sample_rate, frame.pts = 48_000, 4 * 48_000 + first
            container.mux(sound.encode(frame))
        container.mux(sound.encode(None))
    assert (tmp_path / "late.mpg").stat().st_size > 5_000_000
    sound_read = read(tmp_path / "late.mpg")
    assert not sound_read[: 3 * SAMPLE_RATE].any()
    assert loudest_pitch(sound_read) == pytest.approx(440, abs=2)


def test_a_stream_that_begins_in_the_middle_does_not_fail_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyAV then asks at the end for a stream that it does not know, or not, as the memory happens to be."""

    class Container:
        def __init__(self, container: object) -> None:
            self._container = container

        def __getattr__(self, name: str) -> object:
            return getattr(self._container, name)

        def __enter__(self) -> Container:
            return self

        def __exit__(self, *error: object) -> None:
            self._container.close()  # type: ignore[attr-defined]

        def demux(self) -> Iterator[object]:
            yield from self._container.demux()  # type: ignore[attr-defined]
            raise IndexError("list index out of range")

    opened = decoder._container
    monkeypatch.setattr(decoder, "_container", lambda source, **options: Container(opened(source, **options)))
    soundfile.write(tmp_path / "a.wav", tone(1.0, SAMPLE_RATE), SAMPLE_RATE)
    assert decoded(tmp_path / "a.wav")[0].size == SAMPLE_RATE


@pytest.mark.parametrize(
    "name", [b"with space and \xc3\xb1.wav", b"ma\xf1ana.wav", b"100%d.wav", b"http:x.wav", b"-.wav"]
)
def test_any_file_name(tmp_path: Path, name: bytes) -> None:
    path = tmp_path / os.fsdecode(name)
    with path.open("wb") as file:
        soundfile.write(file, tone(0.5, SAMPLE_RATE), SAMPLE_RATE, format="WAV")
    assert read(path).size == SAMPLE_RATE // 2


def test_a_long_file_is_never_in_memory(tmp_path: Path) -> None:
    """A quarter of an hour of 48 kHz stereo, 170 MB of samples, read by a process of its own and its child."""
    soundfile.write(tmp_path / "short.flac", np.zeros((48_000, 2), np.int16), 48_000)
    soundfile.write(tmp_path / "long.flac", np.zeros((48_000 * 60 * 15, 2), np.int16), 48_000)
    program = (
        "import resource as r, sys\nfrom desktop_app.audio.files import AudioFile\n"
        "def usage(): return [r.getrusage(w).ru_maxrss / 1024 for w in (r.RUSAGE_SELF, r.RUSAGE_CHILDREN)]\n"
        "def read(path):\n with AudioFile(path) as audio: return sum(b.size for b in audio) / 16000\n"
        "read(sys.argv[1]); own, child = usage()\n"
        "print(read(sys.argv[2]), usage()[0] - own, usage()[1] - child)"
    )
    run = [sys.executable, "-c", program, str(tmp_path / "short.flac"), str(tmp_path / "long.flac")]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    seconds, *grown = map(float, done.stdout.split())
    assert seconds == pytest.approx(900, abs=1)
    assert max(grown) < 16


def test_a_file_that_breaks_off_gives_what_is_there_and_says_so(tmp_path: Path) -> None:
    encode(tmp_path / "whole.flac", "flac", 44_100, 8.0)
    content = (tmp_path / "whole.flac").read_bytes()
    (tmp_path / "cut.flac").write_bytes(content[: len(content) // 2])
    with AudioFile(tmp_path / "cut.flac") as audio:
        seconds = sum(block.size for block in audio) / SAMPLE_RATE
    assert 3 < seconds < 5
    assert audio.damage == Problem("file.cut_short", read=f"0:0{int(seconds)}", length="0:08")


def test_a_hole_in_the_middle_loses_only_itself_and_is_said(tmp_path: Path) -> None:
    encode(tmp_path / "whole.mp4", "aac", 44_100, 8.0)
    content = bytearray((tmp_path / "whole.mp4").read_bytes())
    start = content.index(b"mdat") + 4
    middle = start + (content.index(b"moov") - start) // 2
    content[middle : middle + 600] = np.random.default_rng(0).bytes(600)
    (tmp_path / "hole.mp4").write_bytes(content)
    with AudioFile(tmp_path / "hole.mp4") as audio:
        seconds = sum(block.size for block in audio) / SAMPLE_RATE
    assert seconds > 7
    assert audio.damage == Problem("file.parts_missing")


def _nothing(path: Path) -> None:
    path.write_bytes(b"")


def _text(path: Path) -> None:
    path.write_text("This is text, no music.\n" * 100, encoding="utf-8")


def _noise(path: Path) -> None:
    path.write_bytes(np.random.default_rng(1).bytes(50_000))


def _no_samples(path: Path) -> None:
    soundfile.write(path, np.zeros(0, np.int16), SAMPLE_RATE, format="WAV")


def _header(path: Path) -> None:
    encode(path.with_suffix(".mp4"), "aac", 44_100, 2.0)
    path.write_bytes(path.with_suffix(".mp4").read_bytes()[:60])


@pytest.mark.parametrize(
    ("name", "make", "code"),
    [
        ("empty.mp3", _nothing, "file.empty"),
        ("text.mp3", _text, "file.not_media"),
        ("text.wav", _text, "file.not_media"),
        ("text.txt", _text, "file.not_media"),
        ("noise.bin", _noise, "file.not_media"),
        ("header.m4a", _header, "file.not_media"),
        ("folder.wav", Path.mkdir, "file.folder"),
        ("silent.mkv", video, "file.no_sound"),
        ("nothing.wav", _no_samples, "file.no_sound"),
        ("missing.wav", lambda path: None, "file.missing"),
        ("pipe.wav", os.mkfifo, "file.not_regular"),
        ("long" * 100 + ".wav", lambda path: None, "file.not_opened"),
    ],
)
def test_bad_input_is_said(tmp_path: Path, name: str, make: Callable[[Path], None], code: str) -> None:
    make(tmp_path / name)
    assert problem(tmp_path / name).code == code


def test_a_device_is_no_file() -> None:
    assert problem(os.devnull).code == "file.not_regular"


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Permission bits do not bind root, under whom tests may run; tests/e2e/test_bad_input.py has the real thing."""

    def refuse(path: Path, flags: int) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    soundfile.write(tmp_path / "mine.wav", tone(0.5, SAMPLE_RATE), SAMPLE_RATE)
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(Problem) as caught:
        decoder._open(tmp_path / "mine.wav")
    assert caught.value.code == "file.forbidden"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nhttp://127.0.0.1:{port}/a.ts\n#EXT-X-ENDLIST\n"),
        ("list.ffconcat", "ffconcat version 1.0\nfile http://127.0.0.1:{port}/a.wav\n"),
    ],
)
def test_a_list_of_addresses_reaches_for_none(tmp_path: Path, name: str, content: str) -> None:
    """FFmpeg's own sockets do not pass through the tests' network guard, so a server listens here."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        (tmp_path / name).write_text(content.format(port=server.getsockname()[1]), encoding="utf-8")
        problem(tmp_path / name)
        with pytest.raises(TimeoutError):
            server.accept()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("itself.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nitself.m3u8\n#EXT-X-ENDLIST\n"),
        ("other.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\ngood.wav\n#EXT-X-ENDLIST\n"),
        ("live.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\ngood.wav\n"),
        ("other.wav", "ffconcat version 1.0\nfile good.wav\n"),
        ("pipe.ffconcat", "ffconcat version 1.0\nfile pipe\n"),
        ("a.mpd", '<?xml version="1.0"?>\n<MPD><Period><BaseURL>good.wav</BaseURL></Period></MPD>\n'),
        ("a.sdp", "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n"),
        ("a.pls", "[playlist]\nFile1=good.wav\n"),
    ],
)
def test_a_list_of_files_is_refused(tmp_path: Path, name: str, content: str) -> None:
    soundfile.write(tmp_path / "good.wav", tone(1.0, SAMPLE_RATE), SAMPLE_RATE)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert problem(tmp_path / name) == Problem("file.list")


def test_a_name_is_no_pattern(tmp_path: Path) -> None:
    """FFmpeg's readers of pictures look for a%d.jpg under every number."""
    soundfile.write(tmp_path / "a1.wav", tone(1.0, SAMPLE_RATE), SAMPLE_RATE)
    (tmp_path / "a%d.jpg").write_bytes(b"not a picture")
    assert problem(tmp_path / "a%d.jpg") == Problem("file.not_media")


def test_ffmpeg_writes_nothing_on_the_terminal(tmp_path: Path) -> None:
    encode(tmp_path / "whole.flac", "flac", 44_100, 4.0)
    content = (tmp_path / "whole.flac").read_bytes()
    (tmp_path / "cut.flac").write_bytes(content[: len(content) // 2])
    program = "import sys\nfrom desktop_app.audio.files import AudioFile\nwith AudioFile(sys.argv[1]) as a: list(a)"
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "cut.flac")], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.parametrize("start", [0.01, 1.0, 2.3456])
@pytest.mark.parametrize("name", ["a.flac", "a.wav"])
def test_reading_begins_where_it_is_wanted(tmp_path: Path, name: str, start: float) -> None:
    path = tmp_path / name
    soundfile.write(path, np.random.default_rng(1).uniform(-0.5, 0.5, 3 * SAMPLE_RATE), SAMPLE_RATE, subtype="PCM_16")
    with AudioFile(path, start) as audio:
        sound = np.concatenate(list(audio))
    assert not audio.damage
    assert np.array_equal(sound, read(path)[round(start * SAMPLE_RATE) :])


@pytest.mark.parametrize(("name", "codec"), [("a.mp3", "libmp3lame"), ("a.m4a", "aac"), ("a.ogg", "libopus")])
def test_reading_begins_where_it_is_wanted_in_packets_too(tmp_path: Path, name: str, codec: str) -> None:
    encode(tmp_path / name, codec, 48_000, 6.0)
    with AudioFile(tmp_path / name, 4.0) as audio:
        sound = np.concatenate(list(audio))
    assert not audio.damage
    assert sound.size == pytest.approx(read(tmp_path / name).size - 4 * SAMPLE_RATE, abs=0.06 * SAMPLE_RATE)


def test_beyond_the_end_there_is_nothing(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(SAMPLE_RATE), SAMPLE_RATE)
    with AudioFile(tmp_path / "a.wav", 5.0) as audio:
        assert not list(audio)
