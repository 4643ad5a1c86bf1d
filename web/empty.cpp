// Of modules, which are all library.
