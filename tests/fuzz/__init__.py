"""Damaged files of every format that the package reads, opened by its readers in a process with limits."""
