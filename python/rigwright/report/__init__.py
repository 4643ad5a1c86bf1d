"""Reports: one HTML file that shows what a model learned and how well, or how well a shot was solved."""

from rigwright.report._body.measure import Accuracy, measure
from rigwright.report._body.skinning import fitted_skinning
from rigwright.report._body.write import write
from rigwright.report._sheet.contact_sheet import contact_sheet
from rigwright.report._shot.write import write_shot
from rigwright.report._transfer.measured import Transferred, measured_transfer
from rigwright.report._transfer.write import write_transfer

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
