"""Corrective shapes constructed where nobody sculpted any."""
