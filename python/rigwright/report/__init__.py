"""Reports: one HTML file that shows what a model learned and how well, or how well a shot was solved."""

from rigwright.report.baselines import fitted_skinning
from rigwright.report.contact_sheet import contact_sheet
from rigwright.report.measure import Accuracy, measure
from rigwright.report.transferred import Transferred, measured_transfer
from rigwright.report.write import write
from rigwright.report.write_shot import write_shot
from rigwright.report.write_transfer import write_transfer

__all__ = [
    "Accuracy",
    "Transferred",
    "contact_sheet",
    "fitted_skinning",
    "measure",
    "measured_transfer",
    "write",
    "write_shot",
    "write_transfer",
]
