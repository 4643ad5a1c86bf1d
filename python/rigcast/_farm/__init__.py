"""Independent tasks on the workers of a Dask scheduler: what is submitted when, what is sent, what has failed."""
