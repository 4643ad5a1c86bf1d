"""What :func:`rigcast.sources.retarget` is made of."""
