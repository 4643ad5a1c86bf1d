"""A live view in a browser: any point of a model's skin can be dragged, and the rig follows."""

from rigwright.viewer._live import LiveView
from rigwright.viewer._recording import Recording
from rigwright.viewer._view import record, view

__all__ = ["LiveView", "Recording", "record", "view"]
