"""Style transfer of faces: the first-order motion model with the losses of Bailey 2020, chapter 6."""
