"""GPUs, models and the serving profiles that they give together."""
