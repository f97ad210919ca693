"""Training: algorithms, configs and command lines. Run from a checkout; castle_envs never imports it."""
