"""Properties that random programs must have."""
