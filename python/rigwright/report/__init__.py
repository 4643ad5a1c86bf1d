"""Reports: one HTML file that shows what a model learned, how well, and how fast it is."""

from rigwright.report.baselines import fitted_skinning
from rigwright.report.contact_sheet import contact_sheet
from rigwright.report.measure import Accuracy, measure
from rigwright.report.write import write

__all__ = ["Accuracy", "contact_sheet", "fitted_skinning", "measure", "write"]
