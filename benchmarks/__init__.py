"""How fast it is, and how strong greedy is: measured by commands that anyone can rerun."""
