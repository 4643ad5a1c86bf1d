"""Stages that are written, opened by OpenUSD itself and by this package."""
