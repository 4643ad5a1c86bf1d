"""Calls of the functions that make folders of pictures, by a number of threads: none gets as far as a picture."""

import rigcast as rc
from tests.support.characters.plain_face import plain_face

RIG = plain_face()
PLAN = rc.study.StudyPlan("study", [rc.study.NamedExpression("Neutral", {})])
COMPARED = {"face": {"truth": RIG, "old": RIG, "new": RIG}}

MAKERS = {
    "make_actor_set": lambda n: rc.capture.make_actor_set(rc.capture.example_cast(), "nowhere", threads=n),
    "make_rating": lambda n: rc.study.make_rating("nowhere", {"face": RIG}, PLAN, threads=n),
    "make_choice": lambda n: rc.study.make_choice("nowhere", COMPARED, PLAN, threads=n),
    "make_ranking": lambda n: rc.study.make_ranking("nowhere", COMPARED, PLAN, threads=n),
    "make_recipe": lambda n: rc.study.make_recipe("rating", "nowhere", threads=n),
}
