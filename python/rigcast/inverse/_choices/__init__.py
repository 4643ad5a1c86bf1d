"""Settings that a solve finds itself: alpha, smoothness, the scale of a loss; and the losses."""
