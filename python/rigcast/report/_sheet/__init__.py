"""The contact sheet of packed expressions."""
