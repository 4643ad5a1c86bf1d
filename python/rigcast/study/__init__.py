"""Experiments in a browser: pictures of rigs shown to people, answers that are never lost, and their statistics.

Three protocols: *rating* (how different from the neutral face?), *choice* (which of two methods is nearer to the
truth?) and *ranking* (several methods in order). ``rigcast study`` makes, serves, exports and analyzes them.

No participants were at hand: what is shown of these functions is that simulated people and scripted browsers come back
with the effects that were planted.
"""

from rigcast.study._analyze import analyze
from rigcast.study._charts import result_chart
from rigcast.study._checks import Findings
from rigcast.study._foretold import Foretold, foretold
from rigcast.study._jspsych import read_jspsych, write_jspsych
from rigcast.study._make import make_choice, make_ranking, make_rating
from rigcast.study._pictures import NamedExpression, PictureSettings, SculptedShapes
from rigcast.study._recipes import make_recipe
from rigcast.study._records import Question, Stimulus, Study, StudySettings, StudyTrial, open_study
from rigcast.study._rehearse import rehearse
from rigcast.study._report import write_report
from rigcast.study._results import CellMean, Preference, StudyAnalysis
from rigcast.study._server import StudyServer
from rigcast.study._table import StudyAnswers, answers, read_answers
from rigcast.study._writer import StudyPlan

__all__ = [
    "CellMean",
    "Findings",
    "Foretold",
    "NamedExpression",
    "PictureSettings",
    "Preference",
    "Question",
    "SculptedShapes",
    "Stimulus",
    "Study",
    "StudyAnalysis",
    "StudyAnswers",
    "StudyPlan",
    "StudyServer",
    "StudySettings",
    "StudyTrial",
    "analyze",
    "answers",
    "foretold",
    "make_choice",
    "make_ranking",
    "make_rating",
    "make_recipe",
    "open_study",
    "read_answers",
    "read_jspsych",
    "rehearse",
    "result_chart",
    "write_jspsych",
    "write_report",
]
