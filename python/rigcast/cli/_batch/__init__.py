"""``rigcast batch``: files of jobs, checked, run on this machine or on a farm, and resumed.

Order: a file is read, each job is parsed by its command's own parser, the records say what is done, and the rest runs
in processes. The process of a job locks it, so that a job begun again waits for the process of a killed worker.
"""
