"""Training to a stated error: sampling where a body errs most, training on, and stopping when the error holds."""
