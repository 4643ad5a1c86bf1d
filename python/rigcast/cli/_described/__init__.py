"""What commands say of clips, shots, weights and transfers."""
