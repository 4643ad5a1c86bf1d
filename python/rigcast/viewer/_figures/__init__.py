"""Figures that the view shows: a model, a rig, or the recorded poses of a data set, with sliders and vertices."""
