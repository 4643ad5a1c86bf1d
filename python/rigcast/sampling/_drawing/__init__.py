"""Channel rows: samplers, clips and what is drawn around them, animators' poses, balanced choices."""
