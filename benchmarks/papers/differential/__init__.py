"""The tables and figures of Song et al. 2020 on a small face, by their own recipe trained to its end."""
