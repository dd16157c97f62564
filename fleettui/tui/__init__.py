"""The terminal app: views, keys and widgets over the same use cases as the command line."""
