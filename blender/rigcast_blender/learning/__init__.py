# SPDX-License-Identifier: GPL-3.0-or-later
"""A character of the scene learned by the installed trainer, and shown beside itself with its error."""
