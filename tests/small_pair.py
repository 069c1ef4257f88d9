"""A small target with its draft, trained on synthetic voices, which keep tests quick: a second of speech costs them
milliseconds. Galley itself knows nothing of it.
"""

import json
from pathlib import Path

SMALL_PAIR = Path(__file__).resolve().parent / "models" / "small_pair"

_ABOUT = json.loads((SMALL_PAIR / "galley.json").read_text(encoding="utf-8"))
NAME, NOTICE = _ABOUT["name"], _ABOUT["notice"]
DRAFT_NAME = json.loads((SMALL_PAIR / "draft" / "galley.json").read_text(encoding="utf-8"))["name"]
