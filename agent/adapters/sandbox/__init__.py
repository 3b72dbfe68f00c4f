"""Where foreign code runs: a box around a tree, by bubblewrap, in a container, or (by name only) not at all."""
