"""Training: algorithms, configs, command lines. Run from a checkout; not part of the package."""
