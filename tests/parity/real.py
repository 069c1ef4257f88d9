"""Real speech, real models and what is asked of them: the cases of the comparisons on real weights.

`make parity REAL=FOLDER MODELS=FOLDER`: REAL holds clips and their index.json (a list of `file`, `language`,
`seconds`), MODELS a folder for each model (base, tiny, base.en, tiny.en, small-int8). CLIPS=4 takes four clips of each
group and a minute of each joined recording.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from desktop_app import resources
from desktop_app.audio.files import AudioFile
from desktop_app.checkpoints import installed
from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.decoding.audio_window import Samples
from desktop_app.transcript.constants import SAMPLE_RATE, WINDOW_SECONDS
from desktop_app.transcript.settings import Settings
from tests.parity.comparison import Outcome, Reference, WordReference, compare_recording, compare_windows, compare_words
from tests.parity.galley import Galley

TEN_MINUTES, ONE_MINUTE = 610, 61
_WINDOW = WINDOW_SECONDS * SAMPLE_RATE
_STEP = SAMPLE_RATE // 50  # samples of a timestamp: what is shorter is a window for the references and not for Galley


@dataclass(frozen=True)
class Question:
    """What is asked of a model, apart from the language, which is told unless it is to be `heard`."""

    detects_language: bool = False
    translate: bool = False
    timestamps: bool = True
    prompt: str = ""
    condition: bool = False
    temperatures: tuple[float, ...] = (0.0,)
    words: bool = False

    def settings(self, checkpoint: Checkpoint, language: str) -> Settings:
        return Settings(
            None if self.detects_language else language,
            self.translate,
            self.timestamps,
            tuple(checkpoint.tokens(f" {self.prompt}")) if self.prompt else (),
            self.condition,
            self.temperatures,
            self.words,
        )


_PROMPT = "Mr. Quilter, Lucier, the Gutenberg Bible."
WINDOWS = {
    "given": Question(),
    "heard": Question(detects_language=True),
    "translation": Question(translate=True),
    "prompt": Question(prompt=_PROMPT),
    "untimed": Question(timestamps=False),
    "drawn": Question(temperatures=(0.6,)),
    "words": Question(words=True),
}
"""Of clips of at most 30 s."""
RECORDINGS = {
    "given": Question(),
    "heard": Question(detects_language=True),
    "translation": Question(translate=True),
    "condition": Question(condition=True),
    "prompt": Question(prompt=_PROMPT, condition=True),
    "all-untimed": Question(timestamps=False),
    "temperatures": Question(temperatures=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
    "words": Question(words=True),
}
"""Of longer ones."""


@dataclass(frozen=True)
class Group:
    """Clips whose names begin with one of `folders`, English or not; the `part`-th of `parts` of them."""

    folders: tuple[str, ...]
    part: int = 0
    parts: int = 1
    english: bool = True


GROUPS = {
    "english": Group(("english/",)),
    **{f"read{part + 1}": Group(("read/",), part, 4) for part in range(4)},
    **{f"crowd{part + 1}": Group(("crowd/",), part, 3) for part in range(3)},
    "others": Group(("speakers/", "awkward/")),
    "languages": Group(("languages/",), english=False),
}
"""Clips of at most 30 s."""
LONG = {
    "long": Group(("english/", "read/", "crowd/", "speakers/")),
    "joined-read": Group(("read/",)),
    "joined-crowd": Group(("crowd/", "english/")),
}
"""Clips of more than 30 s, and two recordings of more than ten minutes that are joined of clips."""


@dataclass(frozen=True)
class Sound:
    """Some audio with a name and the code of its language."""

    name: str
    language: str
    samples: Samples


def model(name: str) -> Path:
    """The folder of a model, of the bundled one, or of its draft; skips without REAL and MODELS."""
    models, real = os.environ.get("GALLEY_PARITY_MODELS"), os.environ.get("GALLEY_PARITY_REAL")
    if not models or not real:
        pytest.skip("needs real speech and models: make parity REAL=FOLDER MODELS=FOLDER")
    first, *rest = Path(name).parts
    return (installed.bundled() if first == "bundled" else Path(models) / first).joinpath(*rest)


def asked(able: Callable[[Group, Question], bool], without: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Every group with every question that somebody is `able` to answer about it, `without` some."""
    if not os.environ.get("GALLEY_PARITY_REAL"):
        return  # thousands of cases, which every run of the tests would collect for nothing
    for groups, questions in ((GROUPS, WINDOWS), (LONG, RECORDINGS)):
        for group in groups:
            for name, question in questions.items():
                if name not in without and able(groups[group], question):
                    yield group, name


def in_english(group: Group, question: Question) -> bool:
    """What a model for English alone is able to answer."""
    return group.english and not question.detects_language and not question.translate


def in_any_language(group: Group, question: Question) -> bool:
    """What a multilingual model is able to answer: all."""
    return True


def compare(galley: Galley, reference: Reference, group: str, name: str) -> Outcome:
    """Ask both about all sounds of a group."""
    outcome, question = Outcome(), (WINDOWS if group in GROUPS else RECORDINGS)[name]
    for language in sorted({sound.language for sound in sounds(group)}):
        settings = question.settings(galley.checkpoint, language)
        clips = {sound.name: sound.samples for sound in sounds(group) if sound.language == language}
        if question.words:
            assert isinstance(reference, WordReference)
            outcome.add(compare_words(galley, reference, clips, settings))
        elif group in GROUPS:
            outcome.add(compare_windows(galley, reference, clips, settings))
        else:
            for clip, samples in clips.items():
                outcome.add(compare_recording(galley, reference, clip, samples, settings)[0])
    return outcome


@lru_cache(maxsize=1)
def sounds(name: str) -> list[Sound]:
    """The sounds of a group."""
    if name in GROUPS:
        clips = [_sound(*each) for each in _some(_listed(GROUPS[name], is_long=False))]
        return [replace(clip, samples=clip.samples[:_WINDOW]) for clip in clips]
    if name == "long":
        return [_trimmed(_sound(*each)) for each in _some(_listed(LONG[name], is_long=True))]
    return [_joined(name)]


def sample() -> tuple[dict[str, Samples], dict[str, Samples]]:
    """The first window of the sample conversation, and ten seconds behind it."""
    with AudioFile(str(resources.path("resources", "sample", "conversation.flac"))) as audio:
        samples = np.concatenate(list(audio))
    return {"window": samples[:_WINDOW]}, {"rest": samples[_WINDOW : _WINDOW + 10 * SAMPLE_RATE]}


def _listed(group: Group, is_long: bool) -> list[tuple[str, str]]:
    """File and language of the clips of a group."""
    index = json.loads((Path(os.environ["GALLEY_PARITY_REAL"]) / "index.json").read_text("utf-8"))
    found = [
        (each["file"], each["language"].strip("?"))
        for each in index
        if each["file"].startswith(group.folders)
        and (not group.english or each["language"].startswith("en"))
        and each["language"] != "-"
        and (round(each["seconds"] * SAMPLE_RATE) // _STEP * _STEP > _WINDOW) == is_long
    ]
    return sorted(found)[group.part :: group.parts]


def _some(listed: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """As many as are wanted, evenly spread."""
    wanted = int(os.environ.get("GALLEY_PARITY_CLIPS") or 0) or len(listed)
    return [listed[at * len(listed) // wanted] for at in range(wanted)] if wanted < len(listed) else listed


def _joined(name: str) -> Sound:
    """Clips one after another, of each folder in turn, until there are more than ten minutes."""
    wanted = (ONE_MINUTE if os.environ.get("GALLEY_PARITY_CLIPS") else TEN_MINUTES) * SAMPLE_RATE
    group, parts, length = LONG[name], [], 0
    for file, language in _in_turn(group):
        parts.append(_sound(file, language).samples)
        length += len(parts[-1])
        if length >= wanted:
            break
    return _trimmed(Sound(name, "en", np.concatenate(parts)))


def _in_turn(group: Group) -> Iterator[tuple[str, str]]:
    listed = [_listed(replace(group, folders=(folder,)), is_long=False) for folder in group.folders]
    for at in range(max(map(len, listed))):
        yield from (clips[at] for clips in listed if at < len(clips))


def _sound(file: str, language: str) -> Sound:
    with AudioFile(str(Path(os.environ["GALLEY_PARITY_REAL"]) / file)) as audio:
        samples = np.concatenate(list(audio))
    return Sound(file, language, samples)


def _trimmed(sound: Sound) -> Sound:
    return replace(sound, samples=sound.samples[: len(sound.samples) // _STEP * _STEP])
