"""Bailey 2020, chapter 6: facial performance capture."""
