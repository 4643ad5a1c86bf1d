"""What commands are given: options that several share, files opened and checked before work."""
