"""How long a draft learns: minutes of training, whatever lies between them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from desktop_app.training import loop
from desktop_app.training.loop import TrainingSettings


class Lesson:
    """A number that is to become small. Each step of it takes a second of `clock`."""

    def __init__(self) -> None:
        self.network = nn.Linear(1, 1)
        self.steps, self.now = 0, 0.0

    def loss(self, files: Sequence[Path]) -> Tensor:
        self.steps += 1
        self.now += 1.0
        return self.network(torch.ones(1)).square().sum()

    def agreement(self, files: Sequence[Path]) -> tuple[int, int]:
        return 1, 2

    def clock(self) -> float:
        return self.now


def test_a_pause_takes_nothing_of_the_minutes(tmp_path: Path) -> None:
    """Neither while a recording goes before nor while the computer sleeps."""
    lesson = Lesson()

    def pause(what: str, done: float, total: float) -> None:
        lesson.now += 3600.0

    files = [tmp_path / f"{number}.npz" for number in range(4)]
    settings = TrainingSettings(minutes=0.5, rate=0.01, batch=2)
    agreed = loop.train(lesson, files, settings, tmp_path / "state", pause, lambda report: None, lesson.clock)
    assert (lesson.steps, agreed) == (30, 0.5)
