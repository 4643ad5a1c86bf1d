"""What is computed with faces, in the face's own unit whatever the scale of its lengths."""

from __future__ import annotations

import numpy as np

import rigcast as rc
from rigcast.transfer._packing.mirror import mirror
from tests.transfer.meshes import bend
from tests.transfer.test_contacts import clam, closed
from tests.units.scaled import FACE, NOISE, OTHER, OUTLIERS, WEIGHTS, face, shapes


def solved(scale, **options):
    shot = scale * (FACE.evaluate(WEIGHTS.astype(np.float32)) + NOISE + (OUTLIERS if "loss" in options else 0.0))
    found = rc.inverse.solve(face(scale), shot, **options)
    return np.append(found.weights.ravel(), found.rmse / scale)


def transferred(scale):
    made = rc.transfer.transfer_rig(face(scale), scale * OTHER)
    return made.columns() / scale


def by_example(scale):
    made = rc.transfer.deformation_transfer(face(scale).rest_vertices, shapes(scale), scale * OTHER, FACE.faces)
    stronger = scale * OTHER + 1.1 * (made - (scale * OTHER).astype(np.float32))
    solver = rc.transfer.DeformationTransfer(face(scale).rest_vertices, scale * OTHER, FACE.faces)
    weights = 0.9 * np.eye(len(made))
    fitted = rc.transfer.fit_example_weights(
        solver, shapes(scale), scale * OTHER, examples=stronger, example_weights=weights
    )
    found = rc.transfer.example_based(
        face(scale).rest_vertices, shapes(scale), scale * OTHER, FACE.faces, stronger, fitted.weights
    )
    return np.concatenate([made, found]) / scale


def corresponded(scale):
    pairs = np.repeat(np.array([0, 8, 40, 60, 76, 108, 116])[:, None], 2, axis=1)
    found = rc.transfer.correspond(face(scale).rest_vertices, FACE.faces, scale * OTHER, FACE.faces, landmarks=pairs)
    neutral, moved = found.resample(face(scale).rest_vertices, shapes(scale))
    return np.concatenate([neutral[None], moved]) / scale


def packed(scale):
    plan = rc.transfer.pack_expressions(face(scale).rest_vertices, shapes(scale), FACE.faces)
    return np.array([len(plan.groups), *[sum(group) for group in plan.groups]])


def contacts(scale):
    neutral, faces = clam(1.5)
    shape = scale * closed(neutral, 1.5)[None]
    pairs = rc.transfer.find_contacts(scale * neutral, shape, faces, reach=0.5)
    assert len(pairs)
    target = scale * bend(clam(2.6)[0], 3, 0.1)
    made = rc.transfer.deformation_transfer(scale * neutral, shape, target, faces, contacts=pairs)
    return np.append(made / scale, pairs)


def judged(scale):
    mine = shapes(scale)
    other = scale * (OTHER + 3.0 * (shapes(1.0) - FACE.rest_vertices))
    found = rc.transfer.quality(face(scale).rest_vertices, mine, scale * OTHER, target_shapes=other, faces=FACE.faces)
    return np.concatenate([np.nan_to_num(found.distortion).ravel(), found.flipped.ravel(), found.new_crossings])


def corrected(scale):
    rig, meters = rc.faces.example(), 0.01 * scale
    shapes = meters * rig.columns()[: rig.num_shapes].astype(np.float64)
    neutral = meters * rig.rest_vertices.astype(np.float64)
    mine = rc.BlendshapeRig(neutral, shapes, names=rig.shape_names, faces=rig.faces)
    names = list(rig.shape_names)
    pairs = [(names.index("jawOpen"), names.index("mouthPucker"))]
    made = rc.faces.constructed_correctives(mine, pairs, jaw="jawOpen", closing=("eyeBlinkLeft", "eyeBlinkRight"))
    return made.columns()[rig.num_shapes :] / scale


def measured(scale):
    a, b = (scale * meshes.astype(np.float64) for meshes in (shapes(1.0), shapes(1.0) + 0.1 * np.sin(shapes(1.0))))
    angle = rc.metrics.normal_angle(a, b, FACE.faces)
    return np.array(
        [
            rc.metrics.vertex_error(a, b).rms / scale,
            rc.metrics.hausdorff(a[0], b[0]) / scale,
            angle.mean,
            *np.ravel(rc.metrics.triangle_distortion(a[0], b[0], FACE.faces)),
        ]
    )


def retargeted(scale):
    landmarks = 30.0 * FACE.evaluate(WEIGHTS.astype(np.float32))[:, ::4]
    points = face(scale).rest_vertices[::4]
    found = rc.ik.retarget_landmarks(landmarks, 30.0 * FACE.rest_vertices[::4], points, steady=np.arange(10))
    return found / scale


def compared(scale):
    shot = scale * (FACE.evaluate(WEIGHTS.astype(np.float32)) + NOISE)
    curve = rc.inverse.trade_off(face(scale), shot)
    shake = rc.inverse.jitter(face(scale), shot, WEIGHTS)
    moves = rc.inverse.head_motion(face(scale), shot + scale * np.arange(16)[:, None, None], WEIGHTS)
    numbers = [curve.alphas / scale**2, curve.rmse / scale, curve.cardinality, curve.alpha / scale**2]
    numbers += [shake.noise / scale, shake.motion, shake.smoothness / scale**2, moves.explained, moves.distance / scale]
    return np.concatenate([np.ravel(part) for part in numbers])


def detailed(scale):
    order = rc.crowd.importance_order(face(scale))
    found = rc.crowd.level_of_detail_errors(face(scale), order, WEIGHTS)
    return np.concatenate([rc.crowd.importance(face(scale)), found.rms.ravel(), found.max.ravel()]) / scale


def seams(scale):
    a, b = scale * shapes(1.0), scale * (shapes(1.0) + 0.05 * np.sin(shapes(1.0)))
    labels = (FACE.rest_vertices[:, 1] > 3).astype(int)
    found = rc.metrics.seam_error(a, b, FACE.faces, labels=labels)
    offsets = (scale * (shapes(1.0) - FACE.rest_vertices)).astype(np.float32)
    low, high = FACE.rest_vertices[:, :2].min(axis=0), FACE.rest_vertices[:, :2].max(axis=0)
    floor = rc.metrics.map_floor((FACE.rest_vertices[:, :2] - low) / (high - low), offsets, 8)
    edges = [number for edge in (found.across, found.inside) for number in (edge.normal, edge.length / scale)]
    return np.append(np.ravel(floor) / scale, edges)


def mirrored(scale):
    found = mirror((scale * bend(OTHER, 5, 0.05)).astype(np.float32), np.asarray(FACE.faces))
    return np.concatenate([found.normal, [found.offset / scale], found.partner])


FACES = {
    "transfer_rig": transferred,
    "example_based": by_example,
    "correspond": corresponded,
    "pack_expressions": packed,
    "contacts": contacts,
    "quality": judged,
    "constructed_correctives": corrected,
    "solve": solved,
    "solve smooth": lambda scale: solved(scale, smoothness=0.02 * scale**2, alpha=1e-3 * scale**2),
    "solve huber": lambda scale: solved(scale, loss="huber"),
    "solve tukey smooth": lambda scale: solved(scale, loss="tukey", smoothness="auto"),
    "solve rigid": lambda scale: solved(scale, rigid="auto"),
    "solve mm": lambda scale: solved(scale, method="mm_cet", alpha=0.0, max_iterations=50),
    "solve cet": lambda scale: solved(scale, method="cet", alpha=1e-3 * scale**2),
    "retarget_landmarks": retargeted,
    "metrics": measured,
    "trade_off, jitter, head_motion": compared,
    "crowd": detailed,
    "seam_error, map_floor": seams,
    "symmetry": mirrored,
}
