"""Files that are dropped into pages, and pictures of their movies: sent, collected, opened."""
