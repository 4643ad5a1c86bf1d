"""Learned bodies: accuracy, seams, posing, pictures."""
