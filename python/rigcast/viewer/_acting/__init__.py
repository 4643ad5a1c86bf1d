"""A synthesizer in the view: it plays without end, and the page requests labels."""
