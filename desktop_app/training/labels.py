"""What a draft learns from: windows as the target's encoder encodes them, the target's text, and what else it
thought of writing.

The target writes many windows at once, greedily. Then it reads its own text in one pass, some windows behind a prompt,
and its likeliest tokens at every place are noted. A window becomes one file, so that a stopped run keeps what it has,
and drafts train without running the target again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from desktop_app.audio.logmel import features
from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.decoding.audio_window import Samples
from desktop_app.decoding.rules import Row, Rules
from desktop_app.decoding.task import prefix
from desktop_app.decoding.vocabulary import ENGLISH, Vocabulary
from desktop_app.decoding.window import is_repetitive
from desktop_app.runtimes import torch as torch_runtime
from desktop_app.runtimes import torch_network
from desktop_app.training.network import Decoder, Memory, half
from desktop_app.transcript.settings import Settings

CHOICES = 32
"""How many of the target's likeliest tokens are kept for a place; the rest is kept as one number."""
PROMPTED = 0.3
"""The share of windows that stand behind a prompt: the text of the window before."""
_FEW_LEFT = 0.6  # of a batch still write: the others are taken out


@dataclass(frozen=True)
class Labels:
    """One window.

    `encoded` float16 [positions, width] is the encoder's output; `read` int32 [n] the tokens that a decoder
    reads; behind the last m of them the target would write `wrote` int32 [m], its `choices` int32 [m, k] being likely
    by `shares` float32 [m, k]. `language` is a code.
    """

    encoded: npt.NDArray[np.float16]
    read: npt.NDArray[np.int32]
    wrote: npt.NDArray[np.int32]
    choices: npt.NDArray[np.int32]
    shares: npt.NDArray[np.float32]
    language: str

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        partial = path.with_suffix(".partial")
        with partial.open("wb") as file:
            np.savez(file, **vars(self))
        partial.replace(path)

    def pooled(self, pooling: int) -> npt.NDArray[np.float32]:
        """The means of so many positions of the encoder's output each, [positions / pooling, width]."""
        found: npt.NDArray[np.float32] = (
            self.encoded.reshape(-1, pooling, self.encoded.shape[1]).astype(np.float32).mean(1)
        )
        return found

    @classmethod
    def load(cls, path: Path) -> Labels:
        with np.load(path) as kept:
            arrays = {name: kept[name] for name in cls.__dataclass_fields__}
        return cls(**arrays | {"language": str(arrays["language"])})

    @staticmethod
    def bytes(width: int, positions: int) -> int:
        """About how much room the file of a window takes."""
        return 2 * width * positions + 50_000


class Labeller:
    """A target that writes windows in batches and notes what it thought of."""

    def __init__(self, checkpoint: Checkpoint, device: torch.device, language: str | None) -> None:
        """`language` None: found out for each window."""
        self._checkpoint, self._device, self._language = checkpoint, device, language
        self._rng = np.random.default_rng(1)
        shape, read = checkpoint.shape, torch_runtime.reader(checkpoint)
        kind = half(device) or torch.float32
        self._encoder = torch_network.Encoder(torch_network.Weights(read, device, kind), shape)
        self._decoder = Decoder(shape).to(device, kind).eval()
        self._decoder.load(read, shape, range(shape.decoder_layers), None)

    @torch.inference_mode()
    def label(self, windows: Sequence[Samples], step: Callable[[], None]) -> list[Labels | None]:
        """The labels of some windows; None where there is no speech, or where the target's text repeats itself. `step`
        is called again and again while they are made."""
        bins = self._checkpoint.mel_bins
        inputs = [torch.from_numpy(features(window, bins)).to(self._device) for window in windows]
        views = []
        for each in inputs:
            step()
            views.append(self._encoder(each[None])[0])
        encoded = torch.stack(views)
        texts, languages = self._write(encoded, step)
        tasks = self._tasks(texts, languages)
        useful = [i for i, text in enumerate(texts) if text and not is_repetitive(self._checkpoint.text(text))]
        found: list[Labels | None] = [None] * len(windows)
        for i, labels in zip(useful, self._read([(texts[i], tasks[i], encoded[i]) for i in useful]), strict=True):
            found[i] = labels
        return found

    def _write(self, encoded: Tensor, step: Callable[[], None]) -> tuple[list[list[int]], list[str]]:
        """What the target writes for each of the windows [B, positions, width], and the languages it is written in."""
        vocabulary, decoder = self._checkpoint.vocabulary, self._decoder
        count = len(encoded)
        # On the CPU attention of one query to keys and values of 32 bits takes a fifth of the time of that to 16 bits.
        memory = [(keys.float(), values.float()) for keys, values in decoder.memory(encoded)]
        start = torch.full((count,), vocabulary.start, device=self._device)
        scores, past = decoder.step(start, 0, memory, None)
        languages = [self._language or _likeliest_language(row, vocabulary) for row in scores.float().cpu().numpy()]
        prefills = [prefix(vocabulary, Settings(code), self._checkpoint.shape.text_positions) for code in languages]
        for at in range(1, len(prefills[0])):
            tokens = torch.tensor([prefill[at] for prefill in prefills], device=self._device)
            scores, past = decoder.step(tokens, at, memory, past)
        rules, texts = Rules(vocabulary), [list[int]() for _ in range(count)]
        states = [rules.written(()) for _ in range(count)]
        rows = list(range(count))  # which window each row of the batch is
        writing = set(rows)
        for at in range(len(prefills[0]), self._checkpoint.shape.text_positions):
            step()
            chosen = []
            for row, window in zip(scores.float().cpu().numpy(), rows, strict=True):
                token = vocabulary.end
                if window in writing:
                    token = rules.decide(row, states[window]).token
                    if token == vocabulary.end:
                        writing.remove(window)
                    else:
                        texts[window].append(token)
                        states[window] = rules.follow(states[window], token)
                chosen.append(token)
            if not writing:
                break
            if len(writing) < _FEW_LEFT * len(rows):
                left = [i for i, window in enumerate(rows) if window in writing]
                rows, chosen = [rows[i] for i in left], [chosen[i] for i in left]
                memory, past = _rows(memory, left), _rows(past, left)
            scores, past = decoder.step(torch.tensor(chosen, device=self._device), at, memory, past)
        for window in writing:  # the text filled all positions: no speech does that
            texts[window] = []
        return texts, languages

    def _tasks(self, texts: Sequence[Sequence[int]], languages: Sequence[str]) -> list[Settings]:
        """What stands before each text: now and then the text of the window before as a prompt."""
        prompts = [(), *(tuple(text) for text in texts[:-1])]
        drawn = self._rng.random(len(texts)) < PROMPTED
        return [
            Settings(language, prompt=prompt if prompted else ())
            for language, prompt, prompted in zip(languages, prompts, drawn, strict=True)
        ]

    def _read(self, windows: Sequence[tuple[Sequence[int], Settings, Tensor]]) -> list[Labels]:
        """The labels of texts that the target reads behind what stands before them."""
        checkpoint, rules = self._checkpoint, Rules(self._checkpoint.vocabulary)
        if not windows:
            return []
        prefills = [prefix(checkpoint.vocabulary, task, checkpoint.shape.text_positions) for _, task, _ in windows]
        fits = [
            [*prefill, *text][: checkpoint.shape.text_positions]
            for prefill, (text, _, _) in zip(prefills, windows, strict=True)
        ]
        longest = max(map(len, fits))
        tokens = torch.zeros((len(fits), longest), dtype=torch.long)
        wanted = torch.zeros((len(fits), longest), dtype=torch.bool)
        for i, (read, prefill) in enumerate(zip(fits, prefills, strict=True)):
            tokens[i, : len(read)] = torch.tensor(read)
            wanted[i, len(prefill) - 1 : len(read)] = True
        encoded = torch.stack([each for _, _, each in windows])
        scores = self._decoder(tokens.to(self._device), encoded, wanted.to(self._device))
        rows, found, at = scores.float().cpu().numpy(), [], 0
        for read, prefill, (_, task, view) in zip(fits, prefills, windows, strict=True):
            text = read[len(prefill) :]
            wrote, choices, shares = [], [], []
            for place in range(len(text) + 1):
                written = rules.written(text[:place])
                wrote.append(rules.decide(rows[at + place], written).token)
                best, likely = _likeliest(rules.allow(rows[at + place], written))
                choices.append(best)
                shares.append(likely)
            at += len(text) + 1
            found.append(
                Labels(
                    view.float().cpu().numpy().astype(np.float16),
                    np.array(read, np.int32),
                    np.array(wrote, np.int32),
                    np.stack(choices).astype(np.int32),
                    np.stack(shares).astype(np.float32),
                    task.language or "",
                )
            )
        return found


def _likeliest_language(row: Row, vocabulary: Vocabulary) -> str:
    """The language that the scores behind the start token name."""
    if not vocabulary.languages:
        return ENGLISH
    codes = list(vocabulary.languages)
    return codes[int(row[[vocabulary.languages[code] for code in codes]].argmax())]


def _rows(memory: Memory, rows: Sequence[int]) -> Memory:
    index = torch.tensor(rows, device=memory[0][0].device)
    return [(keys.index_select(0, index), values.index_select(0, index)) for keys, values in memory]


def _likeliest(allowed: Row) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """The likeliest tokens and their probabilities among all that are allowed."""
    count = min(CHOICES, len(allowed))
    best = np.argpartition(-allowed, count - 1)[:count]
    weights = np.exp(allowed - allowed.max())
    return best, np.asarray(weights[best] / weights.sum(), np.float32)
