"""A scene driven: posed by channels, played by its actions, measured."""
