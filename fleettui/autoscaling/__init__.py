"""Capacity over time: the estimator of what work asks for, policies, and the replay of a day under each."""
