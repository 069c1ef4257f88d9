"""What the chart of the speed panel shows is how it went in each stretch, not on average so far."""

from __future__ import annotations

from desktop_app.app.recordings.speed_history import Point, SpeedHistory
from desktop_app.transcript.statistics import Statistics


def test_each_point_tells_of_its_own_stretch() -> None:
    history = SpeedHistory()
    history.note(28.0, Statistics(compared=100, accepted=90, drafted=120, target_passes=30))
    history.note(56.0, Statistics(compared=200, accepted=140, drafted=160, target_passes=50))
    assert history.points == [Point(28.0, 0.9, 4.0), Point(56.0, 0.5, 2.0)]


def test_a_live_recording_has_a_point_for_ten_seconds() -> None:
    history = SpeedHistory()
    for second in range(1, 41):
        history.note(float(second), Statistics(compared=second, accepted=second, drafted=second, target_passes=second))
    assert [point.seconds for point in history.points] == [10.0, 20.0, 30.0, 40.0]


def test_where_nothing_was_drafted_there_is_no_point() -> None:
    history = SpeedHistory()
    history.note(30.0, Statistics(target_passes=50))
    assert history.points == []
