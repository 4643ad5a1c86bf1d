"""Inputs of commands: options that several share, files opened and checked before work."""
