"""Arguments of the engine's players: commands, scripts, layers and settings by name.

Players themselves are ``cpp/rigcast/synthesis/player``.
"""
