"""Learning a body: vertex sets, their inputs, the bases of their residuals, their networks, one model."""
