"""The error rates of faster-whisper and openai-whisper on recordings that `galley bench accuracy` measured: the same
files, weights, language and normalisers.

In an environment of its own, which neither users nor tests need (here in a folder PEERS):

    python3 -m venv PEERS
    PEERS/bin/pip install -e '.[dev,torch]' faster-whisper
    PEERS/bin/pip install --no-deps openai-whisper
    galley bench accuracy FOLDER --target MODEL --draft off --language en --precision f32 --json figures.json
    PEERS/bin/python -m benchmarks.accuracy_of_peers figures.json --model MODEL --kept PEERS/kept --fill silence

MODEL is a Whisper folder with model.safetensors. faster-whisper computes in the precision of figures.json (float32 or
int8), openai-whisper in float32 only; both greedily, without voice activity detection and without the text before.
Both read files by faster-whisper's `decode_audio`: openai-whisper's own reader calls a program `ffmpeg`, which need not
be there. Recordings under 30 s can be filled up in two ways:

- zeros: as `transcribe` does, which fills the spectrogram up to 30 s with zeros;
- silence: the audio is filled up with silence before the spectrogram is made, as in openai-whisper's `decode` (which is
  called then) and in Galley. Of faster-whisper's segments those of the first window count.

Texts stay in the folder that --kept names, one for each model: what is there is not computed again.
"""

from __future__ import annotations

import argparse
import json
import operator
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.figures import records
from desktop_app.measure.error_rates import EditCounts, character_edits, word_edits

Samples = npt.NDArray[np.float32]
Writer = Callable[[Samples, str], str]
"""Samples (mono, 16 kHz) and a language code to text."""

WINDOW = 30 * 16_000
SETTINGS: dict[str, Any] = {"temperature": 0.0, "condition_on_previous_text": False}


def faster_whisper(model: Path, kept: Path, precision: str) -> dict[str, Writer]:
    """Both ways to fill up a window, by name; the model is converted once, into a folder of `kept`."""
    from ctranslate2.converters import TransformersConverter
    from faster_whisper import WhisperModel

    converted = kept / "converted"
    if not (converted / "model.bin").is_file():
        copied = ["tokenizer.json", "preprocessor_config.json"]
        TransformersConverter(str(model), copy_files=copied).convert(str(converted), force=True)
    loaded = WhisperModel(str(converted), device="cpu", compute_type={"f32": "float32"}.get(precision, precision))

    def zeros(audio: Samples, language: str) -> str:
        segments, _ = loaded.transcribe(audio, language=language, beam_size=1, vad_filter=False, **SETTINGS)
        in_first_window = takewhile(lambda each: len(audio) != WINDOW or each.seek == 0, segments)
        return " ".join(segment.text.strip() for segment in in_first_window)

    def silence(audio: Samples, language: str) -> str:
        return zeros(np.pad(audio, (0, max(0, WINDOW - len(audio)))), language)

    return {"zeros": zeros, "silence": silence}


def openai_whisper(model: Path, kept: Path, precision: str) -> dict[str, Writer]:
    """Likewise, in float32 whatever Galley's precision is; nothing is kept."""
    import whisper

    from tests.openai_models import load

    loaded = load(model)

    def zeros(audio: Samples, language: str) -> str:
        return str(whisper.transcribe(loaded, audio, language=language, fp16=False, **SETTINGS)["text"])

    def silence(audio: Samples, language: str) -> str:
        if len(audio) >= WINDOW:
            return zeros(audio, language)
        features = whisper.log_mel_spectrogram(whisper.pad_or_trim(audio), loaded.dims.n_mels)
        options = whisper.DecodingOptions(language=language, fp16=False)
        return str(whisper.decode(loaded, features, options).text)

    return {"zeros": zeros, "silence": silence}


PEERS = {"faster-whisper": faster_whisper, "openai-whisper": openai_whisper}


def rates(files: Sequence[dict[str, Any]], texts: dict[str, str]) -> tuple[float, float]:
    """Word and character error rate of all files together, in percent."""

    def rate(edits: Callable[[str, str, str], EditCounts]) -> float:
        found = (edits(each["reference"], texts[each["file"]], each["language"]) for each in files)
        return 100 * reduce(operator.add, found).rate

    return rate(word_edits), rate(character_edits)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("figures", type=Path, help="what galley bench accuracy --json wrote")
    add("--model", type=Path, required=True, help="the Whisper folder that it measured")
    add("--kept", type=Path, required=True, help="for the converted model and all texts: what is there stays")
    add("--first", type=int, metavar="N", help="the first N files only")
    add("--peer", default="faster-whisper", choices=tuple(PEERS), help="default: %(default)s")
    add("--fill", default="zeros", choices=("zeros", "silence"), help="short recordings up with (default: %(default)s)")
    records.add_argument(parser)
    arguments = parser.parse_args()
    if arguments.record is not None and (arguments.first or arguments.fill != "silence"):
        parser.error("what is recorded is of all files, filled up with silence")
    from faster_whisper.audio import decode_audio

    figures = json.loads(arguments.figures.read_text("utf-8"))
    precision, folder = figures["models"]["precision"], Path(figures["folder"])
    files: list[dict[str, Any]] = figures["files"][: arguments.first]
    name = f"{arguments.peer} {'f32' if arguments.peer == 'openai-whisper' else precision}, {arguments.fill}"
    kept = arguments.kept / f"{folder.name}, {name}.json"
    texts: dict[str, str] = json.loads(kept.read_text("utf-8")) if kept.is_file() else {}
    arguments.kept.mkdir(parents=True, exist_ok=True)
    write = PEERS[arguments.peer](arguments.model, arguments.kept, precision)[arguments.fill]
    for each in files:
        if each["file"] not in texts:
            texts[each["file"]] = write(decode_audio(str(folder / each["file"])), each["language"]).strip()
            kept.write_text(json.dumps(texts, indent=1, ensure_ascii=False) + "\n", "utf-8")
    galley = {each["file"]: each["text"] for each in files}
    same = sum(texts[file] == text for file, text in galley.items())
    for who, what in ((f"Galley {precision}", galley), (name, texts)):
        print("{:30} WER {:.2f}%, CER {:.2f}%".format(who, *rates(files, what)))
    print(f"{same} of {len(files)} texts are the same")
    if arguments.record is not None:
        computed = "f32" if arguments.peer == "openai-whisper" else precision
        claim = f"{folder.name}: {arguments.peer}, {computed}"
        records.record("accuracy", claim, rates(files, texts)[0], unit="%", note=arguments.record)


if __name__ == "__main__":
    main()
