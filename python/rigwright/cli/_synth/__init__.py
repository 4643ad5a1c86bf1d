"""The commands of ``rigwright synth``, one module each."""
