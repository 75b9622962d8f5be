"""Tests of modules, optimizers and checkpoints."""
