"""Files that are dropped into a page."""
