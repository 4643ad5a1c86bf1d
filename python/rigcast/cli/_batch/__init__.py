"""``rigcast batch``: files of jobs, checked, run on this machine or on a farm, and resumed."""
