"""What the pages share: words, colors, pictures, drawings, templates."""
