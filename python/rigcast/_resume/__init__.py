"""Work that is kept as it is done: one process per output, parts that say what they belong to, what decides them."""
