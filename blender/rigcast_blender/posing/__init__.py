# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls of the rig set and keyed: by pins on the skin, and by synthesizers."""
