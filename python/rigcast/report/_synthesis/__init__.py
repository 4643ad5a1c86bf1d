"""The page of a synthesizer."""
