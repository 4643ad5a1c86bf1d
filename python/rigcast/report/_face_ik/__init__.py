"""The report of learned inverse kinematics."""
