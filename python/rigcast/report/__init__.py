"""Reports: one HTML file that shows what a model learned and how well, or how well a shot was solved."""

from rigcast.report._body.skinning import fit_skinning_baselines
from rigcast.report._body.write import write_body
from rigcast.report._capture.write import write_capture
from rigcast.report._face_ik.write import write_face_ik
from rigcast.report._sheet.contact_sheet import write_contact_sheet
from rigcast.report._shot.write import write_shot
from rigcast.report._synthesis.write import write_synthesis
from rigcast.report._transfer.measured import MeasuredTransfer, measure_transfer
from rigcast.report._transfer.write import write_transfer

__all__ = [
    "MeasuredTransfer",
    "fit_skinning_baselines",
    "measure_transfer",
    "write_body",
    "write_capture",
    "write_contact_sheet",
    "write_face_ik",
    "write_shot",
    "write_synthesis",
    "write_transfer",
]
