"""Steps of :func:`rigcast.sources.retarget`."""
