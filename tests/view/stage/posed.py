"""A view in a page of a real browser, used as a hand would use it."""

from __future__ import annotations

from typing import Any

import numpy as np

import rigcast as rc

SHIFT = 8  # modifier of the DevTools protocol
# Where on the page the point is that the grabbed pin is pulled to.
PULLED = (
    "(() => { const pin = view.frame.pins.find(pin => pin.grabbed), box = view.canvas.getBoundingClientRect();"
    "if (!pin) return [NaN, NaN]; const [x, y] = view.overlay.project(view.camera, view.mesh(), pin.target);"
    "return [x + box.left, y + box.top]; })()"
)


def skinned_arm() -> rc.LinearBlendSkinning:
    """The example arm with plain skinning: three joints that turn."""
    arm = rc.sources.example_body()
    height = arm.rest_vertices[:, 1] / arm.rest_vertices[:, 1].max()
    upper = np.clip(1.5 - 2 * height, 0, 1)
    weights = np.stack([upper, 1 - upper, np.zeros_like(upper)], axis=1)
    return rc.LinearBlendSkinning(arm.skeleton, arm.rest_vertices, arm.faces, weights)


class Posed:
    """A view of a model and its page."""

    def __init__(self, browser: Any, *arguments: Any, **options: Any) -> None:
        self.live = rc.view(*arguments, **options)
        self.page = browser.page()
        self.show()

    def show(self) -> None:
        """Open the address and wait for the first frame."""
        self.page.open(self.live.url)
        self.page.until("window.view && view.frame")

    @property
    def stage(self) -> Any:
        return self.live._server.stage

    def pixel(self, point: Any) -> list[float]:
        """Where a point of the first figure is on the page."""
        found: list[float] = self.page.evaluate(
            f"(() => {{ const [x, y] = view.overlay.project(view.camera, view.mesh(), {list(map(float, point))});"
            "const box = view.canvas.getBoundingClientRect(); return [x + box.left, y + box.top]; })()"
        )
        return found

    def facing_points(self, count: int, seed: int = 0, above: float = -np.inf) -> list[np.ndarray]:
        """Centers of faces that a cursor meets first, spread over the surface above a height."""
        eye = np.array(self.page.evaluate("view.pointer.ray({clientX: 0, clientY: 0}).origin"), np.float64)
        vertices, faces = self.stage.vertices.astype(np.float64), self.stage.figure.faces
        found = []
        for face in np.random.default_rng(seed).permutation(len(faces)):
            center = vertices[faces[face, :3]].mean(axis=0)
            hit = self.stage._picker.pick(eye, center - eye)
            if hit is not None and hit[0] == face and center[1] > above:
                found.append(center)
            if len(found) == count:
                break
        return found

    def drag(self, begin: Any, end: Any, steps: int = 3, modifiers: int = 0, release: bool = True) -> None:
        """Press at one place of the page, move to another in steps, and let go."""
        self.page.mouse("Moved", *begin)
        self.page.mouse("Pressed", *begin, modifiers=modifiers)
        self.page.until("view.pointer.mode !== 'asked'")
        for k in range(1, steps + 1):
            share = k / steps
            self.page.mouse(
                "Moved", *(b + share * (e - b) for b, e in zip(begin, end, strict=True)), modifiers=modifiers
            )
        if self.page.evaluate("view.pointer.mode") == "drag":  # the frame shows where the cursor is now
            self.page.until(f"(([x, y]) => Math.hypot(x - {end[0]}, y - {end[1]}) < 0.5)({PULLED})")
        self.settle()
        if release:
            self.page.mouse("Released", *end, modifiers=modifiers)
            self.page.until("view.pointer.mode === null")

    def hide_handles(self) -> None:
        """So that a press meets the skin wherever it is."""
        self.page.evaluate("view.overlay.showsHandles && document.getElementById('handles').click()")
        self.page.until("document.querySelectorAll('#pins .handle').length === 0")

    def settle(self) -> None:
        """Wait until what was done is shown: the server is at rest and the page has its last frame."""
        self.page.until("!view.pointer.pending")
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        while self.live._server._inbox or self.stage.is_restless:
            self.page.evaluate("new Promise(done => setTimeout(done, 5))")
        self.page.until(f"view.frame.frame >= {self.stage.number} && !view.arrived")

    def reset(self) -> None:
        """All channels to rest, shown."""
        self.page.evaluate("document.getElementById('reset').click()")
        rest = "view.scene.sliders.map(slider => slider.rest)"
        self.page.until(f"{rest}.every((value, i) => Math.abs(value - view.frame.row[i]) < 1e-3)")
        self.settle()

    def gap(self, place: Any) -> float:
        """Pixels between the pinned point and a place of the page."""
        (pin,) = self.page.evaluate("view.frame.pins")
        return float(np.hypot(*np.subtract(self.pixel(pin["at"]), place)))

    def close(self) -> None:
        self.page.close()
        self.live.close()
