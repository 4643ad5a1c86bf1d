"""Networks that read faces, learned from synthetic actors."""
