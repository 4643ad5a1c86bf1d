"""Characters, rigs and programs that show what rigcast does; no part of the package."""
