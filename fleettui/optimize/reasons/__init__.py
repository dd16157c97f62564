"""The reasons behind a kept plan's numbers, each a figure that anyone can check by doing what it says."""
