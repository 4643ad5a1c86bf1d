"""Time: the timeline, the clips that a page can choose from, movies of what a page shows."""
