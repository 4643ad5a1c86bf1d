"""Light, sensor, and what all pictures must hold to."""

import numpy as np
import pytest

import rigcast as rc
from tests.render import slow

WALL = np.array([[-9.0, 9.0, 2.0], [9.0, 9.0, 2.0], [9.0, -9.0, 2.0], [-9.0, -9.0, 2.0]])
FACES = [[0, 1, 2, 3]]  # counterclockwise for a camera in the origin, whose y points down
LINEAR = rc.render.Sensor(gamma=1.0)
EVEN = rc.render.Lights([[0, 0, -1]], [[0, 0, 0]], sky=(1, 1, 1), ground=(1, 1, 1))  # shows the albedo


def shaded(lights: rc.render.Lights, material: rc.render.Material) -> np.ndarray:
    """The color in the middle of a wall that faces the camera."""
    picture = rc.render.render(WALL, FACES, slow.plain_camera(25, 25), material=material, lights=lights, sensor=LINEAR)
    return picture.color[0, 12, 12] / 255.0


def test_light_follows_the_stated_formula() -> None:
    toward = np.array([0.3, -0.5, -0.7])
    toward /= np.linalg.norm(toward)
    lights = rc.render.Lights([toward], [[0.5, 0.6, 0.7]], [0.2, 0.1, 0.1], [0.1, 0.2, 0.1], up=[0, -1, 0], wrap=0.3)
    material = rc.render.Material([0.5, 0.4, 0.3], specular=0.2, exponent=5.0, occlusion=0.5)
    normal = np.array([0.0, 0.0, -1.0])
    half = toward + normal
    half /= np.linalg.norm(half)
    around = 0.5 * np.array([0.2, 0.1, 0.1]) + 0.5 * np.array([0.1, 0.2, 0.1])
    albedo = np.array([0.5, 0.4, 0.3])
    expected = 0.5 * albedo * around
    expected += np.array([0.5, 0.6, 0.7]) * (albedo * (normal @ toward + 0.3) / 1.3 + 0.2 * (normal @ half) ** 5.0)
    np.testing.assert_allclose(shaded(lights, material), expected, atol=0.6 / 255.0)


def test_a_face_from_behind_is_lit_on_the_side_that_is_seen() -> None:
    lights = rc.render.Lights([[0.0, 0.0, -1.0]], [[1.0, 1.0, 1.0]], sky=(0, 0, 0), ground=(0, 0, 0))
    front = rc.render.render(WALL, FACES, slow.plain_camera(), material=None, lights=lights, sensor=LINEAR)
    back = rc.render.render(WALL, [[3, 2, 1, 0]], slow.plain_camera(), material=None, lights=lights, sensor=LINEAR)
    np.testing.assert_array_equal(front.color, back.color)
    assert front.color.min() > 100


def test_a_texture_is_read_with_its_first_row_on_top() -> None:
    texture = np.zeros((2, 2, 3))
    texture[0, 0], texture[0, 1], texture[1, 0] = [1, 0, 0], [0, 1, 0], [0, 0, 1]
    wall = WALL * [0.06, 0.05, 1.0]
    uvs = [[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]]  # y points down: corner 0 is the lower left
    material = rc.render.Material([1.0, 1.0, 1.0], specular=0.0, texture=texture, uvs=uvs)
    color = rc.render.render(wall, FACES, slow.plain_camera(), material=material, lights=EVEN, sensor=LINEAR).color[0]
    assert color[6, 8].tolist() == [255, 0, 0]
    assert color[6, 16].tolist() == [0, 255, 0]
    assert color[13, 8].tolist() == [0, 0, 255]


def test_coverage_is_the_share_of_samples() -> None:
    half = np.array([[0.0, -9.0, 2.0], [9.0, -9.0, 2.0], [9.0, 9.0, 2.0], [0.0, 9.0, 2.0]])
    camera = slow.plain_camera(9, 8)  # its middle column is cut in half
    coverage = rc.render.render(half, FACES, camera).coverage[0]
    np.testing.assert_array_equal(coverage, np.tile([0, 0, 0, 0, 0.5, 1, 1, 1, 1], (8, 1)))


def test_blur_keeps_the_sum_of_light() -> None:
    wall = WALL * [0.05, 0.05, 1.0]
    plain = rc.render.render(
        wall, FACES, slow.plain_camera(40, 40), material=None, lights=EVEN, sensor=LINEAR
    ).color.astype(float)
    soft = rc.render.Sensor(gamma=1.0, blur=1.5)
    blurred = rc.render.render(
        wall, FACES, slow.plain_camera(40, 40), material=None, lights=EVEN, sensor=soft
    ).color.astype(float)
    assert abs(blurred.sum() / plain.sum() - 1.0) < 0.01
    assert np.abs(np.diff(blurred, axis=2)).max() < 0.5 * np.abs(np.diff(plain, axis=2)).max()


def test_noise_has_the_stated_deviation_and_differs_between_pictures() -> None:
    sensor = rc.render.Sensor(noise=0.05, background=[0.2, 0.2, 0.2], seed=3)
    camera = slow.plain_camera(64, 64, center=np.full((2, 2), 32.0))
    noisy = rc.render.render(WALL * [1, 1, -1], FACES, camera, sensor=sensor).color / 255.0
    assert abs(noisy.std() - 0.05) < 0.001
    assert abs(noisy.mean() - 0.2 ** (1 / 2.2)) < 0.002
    assert abs(np.corrcoef(noisy[0].ravel(), noisy[1].ravel())[0, 1]) < 0.03


def scene(count: int) -> tuple[np.ndarray, np.ndarray, rc.render.Camera, rc.render.Sensor]:
    face = rc.faces.example()
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.0, 1.0, (count, face.num_shapes)).astype(np.float32)
    camera = rc.render.Camera(48, 48, focal=110.0, translation=rng.normal([0.0, 0.0, 50.0], 0.5, (count, 3)))
    return face.evaluate(weights), face.faces, camera, rc.render.Sensor(blur=0.5, noise=0.02, seed=5)


def test_bytes_do_not_depend_on_threads() -> None:
    vertices, faces, camera, sensor = scene(5)
    one = rc.render.render(vertices, faces, camera, sensor=sensor, threads=1)
    four = rc.render.render(vertices, faces, camera, sensor=sensor, threads=4)
    np.testing.assert_array_equal(one.color, four.color)
    assert one.color.std() > 10.0


def test_a_batch_is_its_pictures_one_by_one() -> None:
    vertices, faces, camera, sensor = scene(3)
    batch = rc.render.render(vertices, faces, camera, sensor=sensor).color
    shift = np.asarray(camera.translation)
    for t in range(3):
        alone = rc.render.Camera(48, 48, focal=110.0, translation=shift[t])
        own = rc.render.Sensor(blur=0.5, noise=0.02, seed=5 + t)
        np.testing.assert_array_equal(rc.render.render(vertices[t], faces, alone, sensor=own).color[0], batch[t])


def test_a_corner_gets_less_light_than_a_peak() -> None:
    """A floor with a narrow pit: its bottom is darker than the floor, which sees half of the sphere."""
    grid = np.stack(np.meshgrid(np.arange(13.0), np.arange(13.0), indexing="ij"), axis=2).reshape(-1, 2)
    deep = np.where(np.abs(grid - 6.0).max(axis=1) < 1.5, -4.0, 0.0)
    corner = (np.arange(12)[:, None] * 13 + np.arange(12)).ravel()
    faces = np.stack([corner, corner + 13, corner + 14, corner + 1], axis=1)
    share = rc.render.ambient_occlusion(np.column_stack([grid, deep]), faces, directions=128)
    assert share[6 * 13 + 6] < 0.45
    assert share[0 * 13 + 6] > 0.9


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"vertices": np.full((4, 3), np.nan)}, "vertices"),
        ({"vertices": np.full((4, 3), 1e10)}, "vertices"),
        ({"faces": [[0, 1, 9]]}, "faces"),
        ({"camera": rc.render.Camera(8, 8, focal=1.0, rotation=np.diag([1.0, 1.0, -1.0]))}, "rotation"),
        ({"camera": rc.render.Camera(8, 8, focal=-1.0)}, "focal"),
        ({"vertices": np.zeros((3, 4, 3)), "camera": rc.render.Camera(8, 8, focal=[1.0, 2.0])}, "vertices"),
        ({"material": rc.render.Material(albedo=np.zeros((3, 3)))}, "albedo"),
        ({"lights": rc.render.Lights(directions=[[0.0, 0.0, 0.0]])}, "directions"),
        ({"sensor": rc.render.Sensor(blur=-1.0)}, "sensors"),
        ({"sensor": rc.render.Sensor(samples=9)}, "samples"),
    ],
)
def test_wrong_input_is_named(change: dict[str, object], argument: str) -> None:
    given: dict[str, object] = {"vertices": WALL, "faces": FACES, "camera": slow.plain_camera(), **change}
    with pytest.raises(rc.errors.ArgumentError, match=argument):
        rc.render.render(**given)  # type: ignore[arg-type]
