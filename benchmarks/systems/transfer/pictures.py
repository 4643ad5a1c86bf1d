"""The fitted source beside the target, landmarks drawn: what to look at before believing a correspondence."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.systems.transfer.topologies import Journey

SIZE = (900, 900)  # pixels of one half
NEAR = 0.6  # how wide the close views are, beside the whole


def draw(journey: Journey, file: Path) -> None:
    """Rows: the face from the front, from the side, eyes, mouth. Left the fitted source, right the target."""
    import pyvista

    marks = journey.target.points[journey.pairs[:, 1]].astype(float)
    middle, span = marks.mean(axis=0), np.ptp(marks[:, 1])
    eyes, mouth = marks[marks[:, 1] > middle[1]], marks[marks[:, 1] < middle[1]]
    views = [
        (middle, 3.5 * span, (0, 0, 1)),
        (middle, 3.5 * span, (1, 0, 0)),
        (eyes[eyes[:, 0] > 0.3 * eyes[:, 0].max()].mean(axis=0), NEAR * span, (0, 0, 1)),
        (mouth.mean(axis=0), NEAR * span, (0, 0, 1)),
    ]
    plotter = pyvista.Plotter(
        off_screen=True, shape=(len(views), 2), window_size=(2 * SIZE[0], len(views) * SIZE[1]), border=False
    )
    meshes = [
        surface(journey.there.fitted, journey.source.faces),
        surface(journey.target.points, journey.target.faces),
    ]
    for r, (focus, height, direction) in enumerate(views):
        for c, mesh in enumerate(meshes):
            plotter.subplot(r, c)
            plotter.add_mesh(mesh, color="wheat", show_edges=True, edge_color="gray", line_width=0.5)
            at = marks + 0.02 * span * np.array(direction)
            plotter.add_points(at, color="red", point_size=9, render_points_as_spheres=True)
            plotter.enable_parallel_projection()
            camera = plotter.camera
            camera.focal_point, camera.position = focus, focus + 50 * span * np.array(direction)
            camera.up, camera.parallel_scale, camera.clipping_range = (0, 1, 0), height / 2, (span, 100 * span)
    file.parent.mkdir(parents=True, exist_ok=True)
    plotter.screenshot(str(file))
    plotter.close()


def surface(points: np.ndarray, faces: np.ndarray):
    import pyvista

    corners = np.concatenate([faces, np.full((len(faces), 4 - faces.shape[1]), -1, faces.dtype)], axis=1)
    count = (corners >= 0).sum(axis=1)
    cells = np.concatenate([count[:, None], corners], axis=1)
    return pyvista.PolyData(points.astype(float), cells[cells >= 0])
