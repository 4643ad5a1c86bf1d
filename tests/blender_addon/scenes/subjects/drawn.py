"""A layout that writes down what a panel draws."""

from types import SimpleNamespace

import bpy


class Layout:
    """Takes every call of a layout; parts of it are itself."""

    def __init__(self):
        self.texts, self.properties, self.operators = [], [], []

    def label(self, text="", **_):
        self.texts.append(text)

    def prop(self, owner, name, **_):
        self.properties.append((owner.id_data.name, name))

    def operator(self, name, text="", **_):
        settings = SimpleNamespace()
        self.operators.append((name, settings))
        return settings

    def column(self, **_):
        return self

    row = box = column


class Panel:
    """Has the methods of a panel, of which only Blender makes objects."""

    def __init__(self, kind, layout):
        self.kind, self.layout = kind, layout

    def __getattr__(self, name):
        return getattr(self.kind, name).__get__(self)


def drawn(kind):
    """What a panel draws for the present context."""
    layout = Layout()
    kind.draw(Panel(kind, layout), bpy.context)
    return layout
