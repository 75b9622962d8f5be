"""Training that goes on after failures."""
