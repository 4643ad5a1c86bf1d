"""What plays in latent spaces: particles on paths, commands, scripts, layers and crowds."""
