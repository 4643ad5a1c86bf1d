"""Studies made of rigs: pictures, trials, and a folder that appears whole and never loses an answer."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

import rigcast as rc
from tests.study import small
from tests.support.characters.cylinder import CylinderRig
from tests.support.characters.plain_face import plain_face


def pixels(study, name, view=None, frame=0):
    """(H, W, 3) of a stimulus, from its PNG: rows filtered by "Up"."""
    files = study.stimuli[name].files
    content = (study.folder / "stimuli" / files[len(files) // 2 if view is None else view][frame]).read_bytes()
    size = int.from_bytes(content[16:20], "big")
    start = content.index(b"IDAT") + 4
    length = int.from_bytes(content[start - 8 : start - 4], "big")
    rows = np.frombuffer(zlib.decompress(content[start : start + length]), np.uint8).reshape(size, 1 + 3 * size)
    return np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8).reshape(size, size, 3)


def shown(study, **facts):
    """The trial of some facts."""
    return next(trial for trial in study.trials if facts.items() <= trial.facts.items())


def test_each_expression_of_each_character_is_rated_at_each_activation(ratings):
    found = {tuple(trial.facts[name] for name in ("character", "unit", "activation")) for trial in ratings.trials}
    assert len(found) == len(ratings.trials) == 2 * 4 * 5


def test_the_ground_is_the_gray_of_the_page(ratings):
    picture = pixels(ratings, ratings.trials[0].reference)
    assert picture[0, 0].tolist() == picture[-1, -1].tolist() == [128, 128, 128]
    assert "rgb(128, 128, 128)" in (rc.study._server.files_of("rigcast.study")["/style.css"][1]).decode()


def test_neutral_is_the_face_at_rest_and_more_activation_differs_more(tmp_path):
    study = small.rating(tmp_path / "study", pictures={"size": 64})
    rest = pixels(study, study.trials[0].reference).astype(float)

    def apart(unit, activation):
        name = shown(study, unit=unit, activation=activation).options["expression"]
        return np.abs(pixels(study, name) - rest).sum()

    assert apart("Neutral", 1.0) == 0.0
    assert 0.0 < apart("Smile", 0.2) < apart("Smile", 0.6) < apart("Smile", 1.0)


def test_the_truth_is_nearer_to_the_better_rig(tmp_path):
    study = small.choice(tmp_path / "study", pictures={"size": 64})
    trial = shown(study, unit="Smile")
    truth, old, new = (
        pixels(study, name).astype(float) for name in (trial.reference, trial.options["old"], trial.options["new"])
    )
    assert 0.0 < np.abs(new - truth).sum() < np.abs(old - truth).sum()


def test_faces_of_a_choice_turn_to_both_sides(choices):
    files = choices.stimuli[choices.trials[0].reference].files
    assert [len(view) for view in files] == [1, 1, 1]
    pictures = [pixels(choices, choices.trials[0].reference, view) for view in range(3)]
    assert not np.array_equal(pictures[0], pictures[2])


def test_a_loop_begins_at_rest_and_is_full_in_its_middle(tmp_path):
    study = small.rating(tmp_path / "loop", pictures={"seconds": 0.5, "fps": 8.0}, levels=[1.0])
    still = small.rating(tmp_path / "still", levels=[1.0])
    name = shown(study, unit="Smile").options["expression"]
    assert len(study.stimuli[name].files[0]) == 4
    assert study.settings.fps == 8.0
    rest = pixels(study, study.trials[0].reference)
    np.testing.assert_array_equal(pixels(study, name, frame=0), rest)
    full = pixels(still, shown(still, unit="Smile").options["expression"])
    np.testing.assert_array_equal(pixels(study, name, frame=2), full)


def test_names_of_pictures_say_nothing_about_their_order(choices):
    made = [name for stimulus in choices.stimuli.values() for view in stimulus.files for name in view]
    assert made != sorted(made)
    assert len(set(made)) == len(made)


def test_a_rig_with_joints_and_meshes_can_be_shown(tmp_path):
    rig = CylinderRig()
    channel = rig.channel_names[0]
    bent = [rc.study.NamedExpression.parse(f"Bent={channel}")]
    study = rc.study.make_rating(tmp_path / "rig", {"arm": rig}, small.plan(expressions=bent, levels=[1.0]), threads=1)
    assert len(study.trials) == 1
    face = plain_face()
    meshes = rc.study.SculptedShapes(face.rest_vertices, face.faces, {"left_wink": face.rest_vertices + face.column(5)})
    wink = [small.EXPRESSIONS[3]]
    made = rc.study.make_rating(tmp_path / "mesh", {"c": meshes}, small.plan(expressions=wink, levels=[1.0]), threads=1)
    same = rc.study.make_rating(tmp_path / "same", {"c": face}, small.plan(expressions=wink, levels=[1.0]), threads=1)
    assert made.build == same.build


def test_a_study_comes_back_from_its_folder(choices):
    again = rc.study.open_study(choices.folder)
    assert again.trials == choices.trials
    assert again.training == choices.training
    assert again.settings == choices.settings
    assert (again.id, again.build, again.methods) == (choices.id, choices.build, choices.methods)


def test_the_same_study_has_one_build_and_two_ids(ratings, tmp_path):
    again = small.rating(tmp_path / "again", characters=2)
    assert again.build == ratings.build
    assert again.id != ratings.id


def test_a_study_with_answers_is_never_replaced(tmp_path):
    study = small.rating(tmp_path / "study")
    with rc.study.StudyServer(study) as server:
        small.Person(study, "s", server.url).take_part(lambda _: {"rating": 3})
    characters = {"c0": plain_face()}
    with pytest.raises(ValueError, match="holds 21 answers and sign-ups; it must be a folder of its own"):
        rc.study.make_rating(study.folder, characters, small.plan(), overwrite=True)
    assert len(rc.study.answers(rc.study.open_study(study.folder))) == 20


def test_a_study_without_answers_is_replaced_with_overwrite_only(tmp_path):
    study = small.rating(tmp_path / "study")
    characters = {"c0": plain_face()}
    with pytest.raises(ValueError, match="which exists"):
        rc.study.make_rating(study.folder, characters, small.plan())
    made = rc.study.make_rating(study.folder, characters, small.plan(levels=[1.0]), overwrite=True)
    assert len(rc.study.open_study(study.folder).trials) == len(made.trials) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["study"]


def test_a_folder_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="holds something else"):
        small.rating(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_an_interrupted_study_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("rigcast.study._writer.os.rename", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        small.rating(tmp_path / "study")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"levels": [0.0]}, "plan.levels is"),
        ({"expressions": []}, "plan.expressions is empty"),
        ({"expressions": [small.EXPRESSIONS[1]] * 2}, "twice"),
        ({"expressions": [rc.study.NamedExpression("x", {"nose": 1.0})]}, "without 'nose'"),
        ({"block_by": ["sex"]}, "plan.block_by is 'sex'"),
        ({"repetitions": 0}, "plan.repetitions is 0"),
    ],
)
def test_wrong_plans_are_refused(more, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        small.rating(tmp_path / "study", **more)
    assert list(tmp_path.iterdir()) == []


def test_methods_must_be_two_and_the_same_for_all_characters(tmp_path):
    face = plain_face()
    with pytest.raises(ValueError, match="2 methods"):
        rc.study.make_choice(tmp_path / "a", {"c": {"truth": face, "old": face}}, small.plan())
    mixed = {"c": {"truth": face, "old": face, "new": face}, "d": {"truth": face, "old": face, "best": face}}
    with pytest.raises(ValueError, match=r"characters\['d'\] is of old, best"):
        rc.study.make_choice(tmp_path / "a", mixed, small.plan())


@pytest.mark.parametrize("text", ["=x", "A=2*", "A=b*c", "A=inf*b", "  =b"])
def test_wrong_expressions_are_refused(text):
    with pytest.raises(ValueError, match=r"NamedExpression\.parse: text is"):
        rc.study.NamedExpression.parse(text)


@pytest.mark.parametrize("damage", ["{", "[]", '{"format": "rigcast-study", "version": 1}', '{"format": "x"}'])
def test_a_damaged_study_is_refused(damage, tmp_path):
    study = small.rating(tmp_path / "study", levels=[1.0])
    (study.folder / "study.json").write_text(damage)
    with pytest.raises(ValueError, match=r"study\.json"):
        rc.study.open_study(study.folder)


def test_a_study_without_a_picture_is_refused(tmp_path):
    study = small.rating(tmp_path / "study", levels=[1.0])
    next((study.folder / "stimuli").iterdir()).unlink()
    with pytest.raises(ValueError, match="without its picture"):
        rc.study.open_study(study.folder)


@pytest.mark.parametrize(("protocol", "trials"), [("rating", 60), ("choice", 11), ("ranking", 4)])
def test_recipes_are_made_of_our_own_models(protocol, trials, tmp_path):
    look = rc.study.PictureSettings(size=16)
    flat = rc.study.StudySettings(turn=0.0)
    study = rc.study.make_recipe(protocol, tmp_path / "study", characters=1, pictures=look, settings=flat, threads=1)
    assert len(study.trials) == trials
    assert "actor 12" in {trial.facts["character"] for trial in study.training}
    assert "constructed" in " ".join(study.notes)
