"""The machine on which something was measured."""

from __future__ import annotations

import os
import platform
from typing import Any

import openvino as ov


def machine() -> dict[str, Any]:
    """What belongs to every figure."""
    processor = ov.Core().get_property("CPU", "FULL_DEVICE_NAME")
    return {"processor": processor, "cores": os.cpu_count(), "system": platform.platform()}
