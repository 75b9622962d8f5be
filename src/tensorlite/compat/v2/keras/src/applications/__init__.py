"""The layers of well-known models."""
