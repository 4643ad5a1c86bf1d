"""The commands of ``rigcast synth``, one module each."""
