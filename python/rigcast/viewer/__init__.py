"""A live view in a browser: any point of a model's skin can be dragged, and the rig follows."""

from rigcast.viewer._live import LiveView
from rigcast.viewer._recording import Recording
from rigcast.viewer._view import record, view

__all__ = ["LiveView", "Recording", "record", "view"]
