"""Models made runnable: one file a runtime."""

import sys

# OpenVINO's package reports every import to its maker where it finds this one. Nothing leaves this computer unasked.
sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
