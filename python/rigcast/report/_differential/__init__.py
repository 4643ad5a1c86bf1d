"""The section of a report on a model in a differential subspace."""
