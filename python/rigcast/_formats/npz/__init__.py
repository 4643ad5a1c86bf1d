"""NumPy archives: rigs, blendshapes, shots."""
