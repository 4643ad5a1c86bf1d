# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work as a generator, driven by a modal timer with progress and Esc, or to its end without a window."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
from bpy.app.handlers import persistent

from ..texts import write_lines

TICK = 0.1  # seconds between two turns of the work
TURN = 0.08  # seconds of work in a turn
PAUSE = 0.05  # seconds, without a window


class JobError(Exception):
    """What stopped work, in one sentence for the artist."""


class Progress(NamedTuple):
    """What work is doing.

    Attributes
    ----------
    text : str
    fraction : float or None
        From 0 to 1; None if unknown.
    waits : bool
        True if another process works: nothing is to do here meanwhile.
    """

    text: str
    fraction: float | None = None
    waits: bool = False


class Current:
    """The one work that runs in this Blender, as panels show it."""

    def __init__(self) -> None:
        self.title = ""
        self.progress = Progress("")
        self.shown: Progress | None = None
        self.stopping = False
        self.outcomes = dict[str, tuple[str, str]]()  # by title: icon and words of work that has not come to its end
        self._steps: Iterator[Progress] | None = None

    @property
    def runs(self) -> bool:
        """True while there is work."""
        return self._steps is not None

    def begin(self, title: str, steps: Iterator[Progress]) -> None:
        """Take work; nothing of it has been done yet."""
        self.title, self.progress, self.stopping, self._steps = title, Progress("starting"), False, steps
        self.shown = None
        self.outcomes.pop(title, None)

    def advance(self, seconds: float) -> bool:
        """Work for some time. Returns True when all is done; raises what the work raises, which ends it."""
        assert self._steps is not None
        until = time.monotonic() + seconds
        try:
            while True:
                self.progress = next(self._steps)
                if self.progress.waits or time.monotonic() >= until:
                    return False
        except StopIteration:
            self._steps = None
            return True
        except BaseException:
            self._steps = None
            raise

    def end(self) -> None:
        """Stop the work, if any: its ``finally`` ends what it started."""
        steps, self._steps = self._steps, None
        if steps is not None:
            steps.close()


CURRENT = Current()


class Works:
    """A mixin for operators whose work is a generator: ``work(context)`` yields :class:`Progress`.

    The work holds names, not Blender's objects, between two steps: undo replaces these. Run from a button it is driven
    by a timer while the artist goes on, and Esc stops it; called by a script it runs to its end.
    """

    def work(self, context: Any) -> Iterator[Progress]:
        """Yield what is being done; raise :class:`JobError` for what the artist can mend."""
        raise NotImplementedError

    def stopped(self) -> str:
        """What is said after Esc."""
        return f"{self.bl_label}: stopped"

    def execute(self, context: Any) -> set[str]:
        """Work to the end."""
        if not self._free():
            return {"CANCELLED"}
        CURRENT.begin(self.bl_label, self.work(context))
        try:
            while not CURRENT.advance(TURN):
                if CURRENT.progress.waits:
                    time.sleep(PAUSE)
        except JobError as error:
            return self._failed(error)
        finally:
            CURRENT.end()
        return {"FINISHED"}

    def invoke(self, context: Any, _event: Any) -> set[str]:
        """Begin, and go on by a timer."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        if not self._free():
            return {"CANCELLED"}
        CURRENT.begin(self.bl_label, self.work(context))
        self._timer = context.window_manager.event_timer_add(TICK, window=context.window)
        context.window_manager.modal_handler_add(self)
        _show(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        """A turn of work per tick; every other event goes to Blender."""
        if not CURRENT.runs:  # ended by a new file
            return self._leave(context, {"CANCELLED"})
        if CURRENT.stopping or (event.type == "ESC" and event.value == "PRESS"):
            self._say("INFO", self.stopped())
            return self._leave(context, {"CANCELLED"})
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        try:
            done = CURRENT.advance(TURN)
        except JobError as error:
            return self._leave(context, self._failed(error))
        except BaseException:
            self._leave(context, {"CANCELLED"})
            raise
        _show(context)
        return self._leave(context, {"FINISHED"}) if done else {"PASS_THROUGH"}

    def cancel(self, context: Any) -> None:
        """Blender ends the operator."""
        self._leave(context, {"CANCELLED"})

    def _free(self) -> bool:
        if CURRENT.runs:
            self.report({"ERROR"}, f"{CURRENT.title} is running: stop it first (Esc)")
        return not CURRENT.runs

    def _failed(self, error: JobError) -> set[str]:
        self._say("ERROR", str(error))
        return {"CANCELLED"}

    def _say(self, kind: str, text: str) -> None:
        """Report, and let the panel show it until the work is begun again."""
        self.report({kind}, text)
        CURRENT.outcomes[self.bl_label] = (kind, text)

    def _leave(self, context: Any, outcome: set[str]) -> set[str]:
        CURRENT.end()
        timer, self._timer = getattr(self, "_timer", None), None
        if timer is not None:
            context.window_manager.event_timer_remove(timer)
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        redraw(context)
        return outcome


class RIGCAST_OT_stop(bpy.types.Operator):
    """Stop what is running. Nothing is lost: the same button goes on"""

    bl_idname = "rigcast.stop"
    bl_label = "Stop"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, _context: Any) -> bool:
        return CURRENT.runs

    def execute(self, _context: Any) -> set[str]:
        CURRENT.stopping = True  # the operator that works sees it at its next tick
        return {"FINISHED"}


def draw_progress(layout: Any, title: str) -> bool:
    """Draw the work of an operator with this label, if it runs, or why it ended early; True if it runs."""
    if not (CURRENT.runs and CURRENT.title == title):
        if title in CURRENT.outcomes:
            write_lines(layout, bpy.context, [CURRENT.outcomes[title]])
        return False
    text, fraction, _ = CURRENT.progress
    column = layout.column(align=True)
    share = "" if fraction is None else f"{fraction:.0%}"
    first, *others = [line for line in text.split("\n") if line] or [""]
    if hasattr(column, "progress"):  # Blender 4.0
        column.progress(factor=fraction or 0.0, text=share)
    else:
        first = f"{first} {share}"
    write_lines(column, bpy.context, [("TIME", first), *(("BLANK1", line) for line in others)])
    column.operator(RIGCAST_OT_stop.bl_idname, icon="CANCEL")
    return True


def redraw(context: Any) -> None:
    """Draw the areas anew that have panels of the add-on."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def _show(context: Any) -> None:
    """Draw the progress if it is another one: a view may take long to draw."""
    if CURRENT.shown == CURRENT.progress:
        return
    CURRENT.shown = CURRENT.progress
    text, fraction, _ = CURRENT.progress
    share = "" if fraction is None else f" {fraction:.0%}"
    if context.workspace is not None:
        first = text.partition("\n")[0]
        context.workspace.status_text_set(f"{CURRENT.title}: {first}{share}     Esc: stop")
    redraw(context)


@persistent
def stop_before_loading(*_: Any) -> None:
    """Another file comes: what runs belongs to this one."""
    CURRENT.end()
    CURRENT.outcomes.clear()


HANDLERS = (("load_pre", stop_before_loading),)
CLASSES = (RIGCAST_OT_stop,)


def unregister() -> None:
    """Stop what runs."""
    CURRENT.end()
