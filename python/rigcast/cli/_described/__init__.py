"""Descriptions of clips, shots, weights and transfers that commands print."""
