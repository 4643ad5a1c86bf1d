# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces with shape keys: solved from moving meshes, and copied to other meshes."""
