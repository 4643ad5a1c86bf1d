"""Sampling on the workers of a Dask scheduler.

A worker opens its own rig and compares channel row 0 with the client's bits. If it sees the client's token in the
folder of the data set it writes files there, under names of its own; otherwise it sends arrays. The client checks
every answer and gives files their names.
"""
