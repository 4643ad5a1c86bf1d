"""Learning from clips: latent spaces, their sizes chosen by frames held out, finished pieces kept."""
