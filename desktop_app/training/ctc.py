"""Train the CTC head of a draft: from the encoder's output of a window to the target's whole text at once.

The loss is that of Graves et al. (2006) on the units of the target's text, and a cross-entropy at every position of
the encoder on whether a segment ends there.

Where a window cuts a sentence off, the target sometimes leaves it to the next window and sometimes writes what there
is of it. The head should always write it: where the target goes on, a draft that has ended costs a pass for every
token, and where the target ends, one that goes on costs nothing. So the frames behind a text that was cut off teach
nothing.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from desktop_app.checkpoints.shared_draft import JOINED, Ctc
from desktop_app.decoding.ctc import BREAK, FIRST_UNIT, head_text
from desktop_app.decoding.retokenised import Spelling
from desktop_app.training.labels import Labels
from desktop_app.training.network import autocast

WIDTH, LAYERS, KERNEL = 192, 4, 15
UNITS = 500
"""How many of the commonest tokens a head writes whole. It spells the others of these and of single letters: of the
rest each is too rare to be learnt."""
RATE = 2e-3
"""The learning rate at its highest."""
_SEEN = 5  # times that a letter has to be in the text
_TIMES = 0.3  # weight of the times' loss
_BEHIND = 10  # positions behind the end of a text that still belong to it
_MASKS, _LONGEST_MASK, _CHANNELS_MASKED = 10, 40, 0.1  # stretches of positions, in positions; share of channels
_DROPOUT = 0.1
_STRETCH = 0.1  # a batch is as much faster or slower at most


class Layer(nn.Module):
    """A convolution over frames, each channel by itself, and two matrices (after Liu et al., "A ConvNet for the 2020s",
    2022)."""

    def __init__(self, width: int, kernel: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.norm = nn.LayerNorm(width)
        self.fc1 = nn.Linear(width, 4 * width)
        self.fc2 = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """x [B, frames, width] further on."""
        seen = self.conv(x.transpose(1, 2)).transpose(1, 2)
        inner = F.dropout(F.gelu(self.fc1(self.norm(seen))), _DROPOUT, self.training)
        further: Tensor = x + self.fc2(inner)
        return further


class Head(nn.Module):
    """A CTC head of this shape, on an encoder of so many channels."""

    def __init__(self, ctc: Ctc, width: int) -> None:
        super().__init__()
        self.start = nn.Linear(JOINED * width, ctc.width)
        self.layers = nn.ModuleList([Layer(ctc.width, ctc.kernel) for _ in range(ctc.layers)])
        self.norm = nn.LayerNorm(ctc.width)
        self.units = nn.Linear(ctc.width, FIRST_UNIT + len(ctc.units))
        self.times = nn.Linear(ctc.width, JOINED)

    def forward(self, encoded: Tensor) -> tuple[Tensor, Tensor]:
        """For the encoder's output [B, positions, width], logits of what the frames hold, [B, frames, units], and of
        whether a segment ends at a position, [B, positions]."""
        x = self.start(encoded.unflatten(1, (-1, JOINED)).flatten(2))
        for layer in self.layers:
            x = layer(x)
        x = self.norm(x)
        return self.units(x), self.times(x).flatten(1)


def shape_for(spelling: Spelling, files: Sequence[Path], languages: Sequence[str]) -> Ctc:
    """The shape of a head that learns from these labels to write `languages`. Its units are the letters of the text and
    its commonest tokens; a language with four times as much text counts twice, so that none lacks units."""
    spoken = dict[str, Counter[int]]()
    for file in files:
        labels = Labels.load(file)
        spoken.setdefault(labels.language, Counter()).update(_written(labels, spelling).tolist())
    worth, letters = dict[int, float](), Counter[int]()
    for written in spoken.values():
        for token, count in written.items():
            worth[token] = worth.get(token, 0.0) + count / written.total() ** 0.5
            piece = spelling.pieces[token]
            letters.update({letter: count * piece.count(letter) for letter in set(piece)})
    alone = {piece[0]: token for token, piece in enumerate(spelling.pieces) if len(piece) == 1}
    seen = {alone[letter] for letter, count in letters.items() if count >= _SEEN}
    common = sorted(worth, key=lambda token: -worth[token])[:UNITS]
    return Ctc(WIDTH, LAYERS, KERNEL, tuple(sorted({*seen, *common})), tuple(languages))


class Speller:
    """Spells tokens in the units of a head."""

    def __init__(self, spelling: Spelling, units: Sequence[int]) -> None:
        self._spelling = spelling
        self._places = {spelling.pieces[unit]: FIRST_UNIT + place for place, unit in enumerate(units)}
        self._longest = max(map(len, self._places))
        self._known: dict[int, list[int]] = {}

    def spell(self, token: int) -> list[int]:
        """A text token as what frames hold: the longest units first, without letters that no unit has."""
        if token not in self._known:
            piece, found = self._spelling.pieces[token], list[int]()
            while piece:
                there = (n for n in range(self._longest, 0, -1) if piece[:n] in self._places)
                length = next(there, 0)
                if length:
                    found.append(self._places[piece[:length]])
                piece = piece[length or 1 :]
            self._known[token] = found
        return self._known[token]


class CtcLesson:
    """How a head learns: `loop.Lesson`."""

    def __init__(self, head: Head, ctc: Ctc, spelling: Spelling, device: torch.device) -> None:
        self.network = head
        self._spelling, self._units, self._device = spelling, ctc.units, device
        self._speller = Speller(spelling, ctc.units)

    def loss(self, files: Sequence[Path]) -> Tensor:
        windows = [Labels.load(file) for file in files]
        encoded = _stretched(self._encoded(windows))
        _mask(encoded)
        with autocast(self._device):
            holds, ends = self.network(encoded)
        faster = ends.shape[1] / len(windows[0].encoded)
        wanted, lengths, frames = [], [], []
        at_end = torch.zeros(ends.shape)
        for row, labels in enumerate(windows):
            spelling, times = self._target(labels)
            wanted += spelling
            lengths.append(len(spelling))
            frames.append(min(round(faster * self._positions(labels) / JOINED), holds.shape[1]))
            at_end[row, [min(round(faster * time), ends.shape[1] - 1) for time in times]] = 1.0
        likely = holds.float().log_softmax(-1).transpose(0, 1)
        units, count = torch.tensor(wanted), torch.tensor(lengths)
        spelled = F.ctc_loss(likely, units, torch.tensor(frames), count, reduction="sum", zero_infinity=True)
        spelled = spelled / max(1, len(wanted))
        timed = F.binary_cross_entropy_with_logits(ends.float(), at_end.to(self._device), reduction="sum")
        return spelled + _TIMES * timed / at_end.sum().clamp_min(1)

    def agreement(self, files: Sequence[Path]) -> tuple[int, int]:
        """How many of the target's text tokens the head's text has in the same order, and how many there are."""
        windows = [Labels.load(file) for file in files]
        with autocast(self._device):
            holds, ends = self.network(self._encoded(windows))
        best = holds.argmax(-1).cpu().numpy()
        right = total = 0
        for row, labels in enumerate(windows):
            frames = best[row], ends[row].float().cpu().numpy()
            own = head_text(frames, self._spelling, self._units, timestamps=False).tokens(len(best[row]))
            target = _written(labels, self._spelling).tolist()
            same = difflib.SequenceMatcher(None, own, target, autojunk=False).get_matching_blocks()
            right, total = right + sum(block.size for block in same), total + len(target)
        return right, total

    def _encoded(self, windows: Sequence[Labels]) -> Tensor:
        return torch.from_numpy(np.stack([window.encoded for window in windows]).astype(np.float32)).to(self._device)

    def _target(self, labels: Labels) -> tuple[list[int], list[int]]:
        """What frames should hold, and the positions at which segments end."""
        vocabulary, last = self._spelling.vocabulary, len(labels.encoded) - 1
        units, times = list[int](), list[int]()
        for place, token in enumerate(labels.wrote.tolist()):
            if not vocabulary.is_timestamp(token):
                units += self._speller.spell(token) if token < vocabulary.end else []
            elif place:  # the first time is where the window begins
                times.append(min(token - vocabulary.first_timestamp, last))
                if units[-1:] != [BREAK]:
                    units.append(BREAK)
        return units, times

    def _positions(self, labels: Labels) -> int:
        """How many positions belong to the text: all, unless two times at its end say that the target left what follows
        to the next window."""
        *_, time, again, _end = [self._spelling.vocabulary.end] * 2 + labels.wrote.tolist()
        if all(map(self._spelling.vocabulary.is_timestamp, (time, again))):
            return int(again - self._spelling.vocabulary.first_timestamp + _BEHIND)
        return len(labels.encoded)


def _written(labels: Labels, spelling: Spelling) -> npt.NDArray[np.int32]:
    """The text tokens that the target wrote."""
    return labels.wrote[labels.wrote < spelling.vocabulary.end]


def _stretched(encoded: Tensor) -> Tensor:
    """A batch as if it had been spoken a little faster or slower (after Ko et al., "Audio augmentation for speech
    recognition", 2015)."""
    positions = encoded.shape[1] * (1 + _STRETCH * (2 * float(torch.rand(())) - 1))
    length = JOINED * max(1, round(positions / JOINED))
    return F.interpolate(encoded.transpose(1, 2), length, mode="linear").transpose(1, 2).contiguous()


def _mask(encoded: Tensor) -> None:
    """Leave out stretches of positions and some channels, so that few windows last for many steps (after Park et al.,
    "SpecAugment", 2019)."""
    windows, positions, width = encoded.shape
    for window in encoded:
        for _ in range(_MASKS):
            length = int(torch.randint(1, _LONGEST_MASK, ()))
            start = int(torch.randint(0, max(1, positions - length), ()))
            window[start : start + length] = 0
    encoded *= F.dropout(torch.ones(windows, 1, width), _CHANNELS_MASKED).to(encoded)
