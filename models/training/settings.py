"""Where working data lies, and the recipe."""

import os
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
WORK = Path(os.environ.get("GALLEY_TRAINING", REPOSITORY / "build" / "training"))
STARTER = REPOSITORY / "models" / "starter"
DATA = WORK / "data"


def recipe() -> dict[str, Any]:
    """The whole recipe, from `recipe.toml`."""
    return tomllib.loads((HERE / "recipe.toml").read_text())
