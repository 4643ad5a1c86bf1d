"""A live view in a browser: any point of a model's skin can be dragged, and the rig follows."""

from rigcast.viewer._live import LiveView
from rigcast.viewer._stored._view_page import ViewPage
from rigcast.viewer._view import embed, record, view

__all__ = ["LiveView", "ViewPage", "embed", "record", "view"]
