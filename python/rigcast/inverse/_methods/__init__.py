"""Methods that recover weights, a function from a problem to weights each."""
