"""The engine computes what its header states: slow NumPy, PyTorch and ONNX Runtime beside it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.capture.network.networks import SIZE, network, pictures, tensors

FLOAT32 = 3e-5  # of the largest number: sums of some hundred products in float32, layer after layer
POINTS = [0, 6]


def motion_of(points, frames=4):
    motion = np.random.default_rng(8).normal(size=(frames, 2 * points)).astype(np.float32)
    if points:
        motion[2, 3] = np.nan  # not found in this frame
    return motion


def slow_read(given, picture, neutral, motion):
    """One picture, texel by texel, in float64, as ``face_network.h`` says."""
    t = {name: value.astype(np.float64) for name, value in given.items()}
    leaky = lambda x: np.where(x > 0, x, 0.2 * x)  # noqa: E731

    def layer(name, x):
        weight, bias = t[f"{name}.weight"], t[f"{name}.bias"]
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
        made = np.zeros((len(weight), *x.shape[1:]))
        for row, column in itertools.product(range(x.shape[1]), range(x.shape[2])):
            window = padded[:, row : row + 3, column : column + 3]
            made[:, row, column] = (weight * window).sum(axis=(1, 2, 3)) + bias
        return leaky(made)

    halved = lambda x: x.reshape(len(x), x.shape[1] // 2, 2, x.shape[2] // 2, 2).mean(axis=(2, 4))  # noqa: E731
    doubled = lambda x: x.repeat(2, axis=1).repeat(2, axis=2)  # noqa: E731
    mean = max(1.0, neutral.mean())
    x, n = picture / mean - 1.0, neutral / mean - 1.0
    channels = np.concatenate([x - n, n], axis=2)
    folded = np.stack([channels[i::2, j::2, c] for c in range(6) for i in (0, 1) for j in (0, 1)])
    a = layer("conv1", folded)
    a = layer("conv2", a) + a
    b = layer("conv3", halved(a))
    b = layer("conv4", b) + b
    c = layer("conv5", halved(b))
    c = layer("conv6", c) + c
    seen = layer("conv7", c).reshape(-1)
    if "points.weight" in t:
        known = np.isfinite(motion).all()
        moved = leaky(t["points.weight"] @ np.nan_to_num(motion) + t["points.bias"])
        seen = np.concatenate([seen, known * moved])
    hidden = leaky(t["dense1.weight"] @ seen + t["dense1.bias"])
    weights = t["dense2.weight"] @ hidden + t["dense2.bias"]
    heat = layer("heat", layer("up2", doubled(layer("up1", doubled(c)) + b)) + a)
    side, landmarks, covariances = SIZE // 2, [], []
    for p, own in enumerate(heat):
        share = np.exp(own - own.max())
        share /= share.sum()
        places = [(np.array([j + 0.5, i + 0.5]) / side, share[i, j]) for i in range(side) for j in range(side)]
        middle = sum(s * place for place, s in places)
        spread = sum(s * np.outer(place - middle, place - middle) for place, s in places)
        landmarks.append(middle)
        scale, least = np.exp(t["heat.spread"][p])
        covariances.append((scale * spread + least * np.eye(2))[[0, 0, 1], [0, 1, 1]])
    return weights, np.array(landmarks), np.array(covariances)


def close(found, expected):
    for a, b in zip(found, expected, strict=True):
        assert np.abs(a - b).max() <= FLOAT32 * max(1.0, np.abs(b).max())


@pytest.mark.parametrize("points", POINTS)
def test_it_computes_what_its_header_states(points):
    given, crops, motion = tensors(points), pictures(4), motion_of(points)
    found = network(points)._engine.read(crops, crops[:1], motion, 1)
    slow = [slow_read(given, crops[t], crops[0], motion[t]) for t in range(4)]
    close(found, [np.stack(column) for column in zip(*slow, strict=True)])


@pytest.mark.parametrize("points", POINTS)
def test_pytorch_computes_the_same(points):
    """In which it is trained."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from rigcast.training._capture.descent import CaptureNet, normalized

    given, crops, motion = tensors(points), pictures(4), motion_of(points)
    net = CaptureNet(torch, {name: torch.from_numpy(value) for name, value in given.items()})
    frame, neutral = (torch.from_numpy(x.astype(np.float32)) for x in (crops, crops[[0] * 4]))
    known = np.isfinite(motion).all(axis=1, keepdims=True)
    moved = np.where(known, np.nan_to_num(motion), 0.0).astype(np.float32)
    with torch.no_grad():
        a, b, c = net.maps(*normalized(torch, frame, neutral))
        weights = net.shape_weights(c, torch.from_numpy(moved), torch.from_numpy(known.astype(np.float32)))
        expected = [part.numpy() for part in (weights, *net.landmarks(a, b, c))]
    close(network(points)._engine.read(crops, crops[:1], motion, 1), expected)


@pytest.mark.parametrize("neutrals", [1, 4])
@pytest.mark.parametrize("points", POINTS)
def test_onnx_runtime_computes_the_same(points, neutrals, tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    crops, motion, made = pictures(4), motion_of(points), network(points)
    made.export_onnx(tmp_path / "network.onnx")
    session = runtime.InferenceSession(tmp_path / "network.onnx", providers=["CPUExecutionProvider"])
    feed = {"pictures": crops, "neutrals": crops[::-1][:neutrals]} | ({"motion": motion} if points else {})
    close(session.run(None, feed), made._engine.read(crops, crops[::-1][:neutrals], motion, 1))


def test_the_graph_names_the_shapes_that_are_read(tmp_path):
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    made = network()
    made.export_onnx(tmp_path / "network.onnx")
    props = {p.key: p.value for p in onnx.load(tmp_path / "network.onnx").metadata_props}
    assert props["shape_names"] == '["shape0", "shape1", "shape2", "shape3", "shape4", "shape5"]'


@pytest.mark.parametrize("points", POINTS)
def test_the_same_bytes_for_any_number_of_threads(points):
    crops, motion, made = pictures(9), motion_of(points, frames=9), network(points)
    one = made._engine.read(crops, crops[:1], motion, 1)
    for threads in (2, 3, 0):
        for a, b in zip(one, made._engine.read(crops, crops[:1], motion, threads), strict=True):
            assert a.tobytes() == b.tobytes()


def test_a_picture_does_not_depend_on_the_others():
    crops, motion, made = pictures(5), motion_of(6, frames=5), network(6)
    whole = made._engine.read(crops, crops, motion, 2)
    alone = made._engine.read(crops[3:4], crops[3:4], motion[3:4], 1)
    for a, b in zip(whole, alone, strict=True):
        assert a[3].tobytes() == b[0].tobytes()


@pytest.mark.parametrize("name", ["pictures", "neutrals", "motion"])
def test_inputs_of_another_shape_are_refused_by_name(name):
    given = {"pictures": pictures(3), "neutrals": pictures(3), "motion": motion_of(6, frames=3)}
    given[name] = given[name][:2]
    if name == "pictures":
        given["neutrals"], given["motion"] = given["neutrals"][:2], given["motion"]
    with pytest.raises(ValueError, match="neutrals" if name == "neutrals" else "motion"):
        network(6)._engine.read(given["pictures"], given["neutrals"], given["motion"], 1)
