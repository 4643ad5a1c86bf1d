"""Other systems than this one: packages of Debian, minimal roots, emulated processors, newer Pythons."""
