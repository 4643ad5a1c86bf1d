# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work: run piece by piece beside the user interface, watched, stopped by Esc; the installed trainer in it."""
