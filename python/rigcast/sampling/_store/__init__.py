"""The folder of a data set: its layout, its manifest, its files, how it is written and read."""
