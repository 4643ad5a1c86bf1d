"""Files as other programs and people write them: a table for each kind of surprise, over all readers."""
