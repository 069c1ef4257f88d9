"""numpy keeps its hands off the cores: its idle threads would turn on those that a model's next pass needs."""

from __future__ import annotations

import os
import subprocess
import sys


def test_products_of_numpy_start_no_threads() -> None:
    """In a process of its own, since the first import decides. A user who sets the number has it."""
    script = """if True:
        import desktop_app, os, numpy
        square = numpy.ones((400, 400), numpy.float32)
        square @ square
        tasks = "/proc/self/task"
        print(os.environ["OPENBLAS_NUM_THREADS"], len(os.listdir(tasks)) if os.path.isdir(tasks) else 1)
        """

    def threads(**settings: str) -> list[str]:
        kept = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
        done = subprocess.run([sys.executable, "-c", script], env=kept | settings, capture_output=True, check=True)
        return done.stdout.decode().split()

    assert threads() == ["1", "1"]
    assert threads(OPENBLAS_NUM_THREADS="2")[0] == "2"
