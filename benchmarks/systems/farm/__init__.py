"""A farm of many processors, simulated from measurements on one machine."""
