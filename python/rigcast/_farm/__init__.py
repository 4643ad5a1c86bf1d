"""Independent tasks on the workers of a Dask scheduler: what is submitted when, what is sent, what has failed.

It knows nothing of rigs. The dispatcher gets its clock from outside, so that tests and simulations run the decisions
of a real farm; a parcel holds what all tasks share, and is unpacked once per worker process.
"""
