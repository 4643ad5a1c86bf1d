"""USD stages (OpenUSD, ``usd-core``): moving meshes, skeletal motion, weights, characters with their models."""
