"""The `galley` command, as tests start it."""

import os
import sys

GALLEY = (os.environ["GALLEY_PROGRAM"],) if "GALLEY_PROGRAM" in os.environ else (sys.executable, "-m", "desktop_app")
"""How its line begins: the checkout's, or the program that GALLEY_PROGRAM names: `make test-installer` sets that."""
