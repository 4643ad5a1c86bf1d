"""Ridge regression on the controls of poses, and principal components: what the gate and the baselines share."""
