"""Second ways of commands: what they do with other inputs."""
