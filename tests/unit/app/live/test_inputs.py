"""Inputs: which one is offered, and that the front end's thread never asks for them."""

from __future__ import annotations

import threading

from desktop_app.audio.microphone import Input
from tests.staging import Stage
from tests.studio import DESK, SPEAKERS


def test_what_the_computer_plays_is_offered_last_when_an_input_is_lost(stage: Stage) -> None:
    stage.live.inputs.found = [SPEAKERS, DESK]
    assert stage.live.inputs.another_than("Headset") == DESK
    assert stage.live.inputs.another_than(DESK.name) == SPEAKERS
    stage.live.inputs.found = [DESK]
    assert stage.live.inputs.another_than(DESK.name) is None


def test_nothing_of_the_sound_system_is_asked_in_the_front_ends_thread(stage: Stage) -> None:
    asked: list[int] = []

    def list_inputs() -> list[Input]:
        asked.append(threading.get_ident())
        return [DESK]

    stage.live.inputs._list_inputs = list_inputs
    entry = stage.record()
    stage.stop()
    assert entry.seconds
    assert asked
    assert threading.get_ident() not in asked
