"""Let a pair listen to clips the way Galley does: OpenVINO, draft and verify, with a fixed look-ahead."""

import json
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from desktop_app.audio.logmel import features
from desktop_app.checkpoints import pairs
from desktop_app.checkpoints.folder import Checkpoint, read, same_encoder
from desktop_app.decoding.drafters import Draft, Drafter
from desktop_app.decoding.figures import Figures
from desktop_app.decoding.hearing import Window
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.decoding.task import Task
from desktop_app.decoding.window import WindowDecoder
from desktop_app.runtimes import openvino

LOOK_AHEAD = 4


@dataclass(frozen=True)
class Said:
    """What the target wrote for one clip: the text, where each of its lines ends (seconds), and the counts."""

    text: str
    ends: tuple[float, ...]
    figures: Figures


@dataclass
class Counts:
    """Counts of several clips, and the two ratios of `galley transcribe --stats`."""

    figures: list[Figures] = field(default_factory=list)

    def _total(self, name: str) -> int:
        return sum(asdict(each)[name] for each in self.figures)

    @property
    def acceptance(self) -> float:
        """Accepted of compared tokens."""
        return self._total("accepted") / max(1, self._total("compared"))

    @property
    def tokens_per_pass(self) -> float:
        """Tokens of the text for every pass of the target's decoder, the first one of a window too."""
        return self._total("tokens") / max(1, self._total("target_passes"))


class _Fixed(WindowDecoder):
    """Drafts the same number of tokens in every round, whatever it costs."""

    def __init__(self, *parts: object) -> None:
        super().__init__(*parts)  # type: ignore[arg-type]
        self._look_ahead = LookAhead(LOOK_AHEAD, LOOK_AHEAD)


class Listener:
    """A target with some of its drafts, loaded once."""

    def __init__(self, folder: Path, drafts: dict[str, Path]) -> None:
        self.checkpoint = read(folder)
        self._model = openvino.load(self.checkpoint)
        self._drafters = {name: self._drafter(read(draft)) for name, draft in drafts.items()}

    def _drafter(self, draft: Checkpoint) -> Drafter:
        shared = self._model if same_encoder(self.checkpoint, draft) else None
        model = openvino.load(draft, encoder=shared)
        return pairs.drafter(self.checkpoint, draft)(Draft(model, shared or model, draft.vocabulary))

    def hear(self, clips: Iterable[np.ndarray], draft: str | None = None) -> list[Said]:
        """The text of each clip of at most 30 s, written with the named draft or by the target alone."""
        return [self._one(clip, self._drafters[draft] if draft else None) for clip in clips]

    def _one(self, clip: np.ndarray, drafter: Drafter | None) -> Said:
        vocabulary, figures = self.checkpoint.vocabulary, Figures()
        decoder = _Fixed(self._model, vocabulary, figures, drafter)
        written = decoder.write(Window(clip, features), Task("en"), lambda tokens, ahead: None)
        tokens = () if written.is_silence else written.tokens
        is_time = [vocabulary.is_timestamp(token) for token in tokens]
        ends = [vocabulary.seconds(tokens[i]) for i in range(1, len(tokens)) if is_time[i] and not is_time[i - 1]]
        return Said(self.checkpoint.text(tokens).strip(), tuple(ends), figures)


def early_exit(target: Path, layers: int, folder: Path) -> Path:
    """A draft that is the target's own first decoder layers, its last norm and its head."""
    for name in ("tokenizer.json", "generation_config.json", "preprocessor_config.json", "tokenizer_config.json"):
        if (target / name).exists():
            shutil.copy(target / name, folder / name)
    config = json.loads((target / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"decoder_layers": layers}))
    kept = {
        name: value
        for name, value in load_file(target / "model.safetensors").items()
        if not name.startswith("model.decoder.layers.") or int(name.split(".")[3]) < layers
    }
    save_file(kept, folder / "model.safetensors")
    return folder
