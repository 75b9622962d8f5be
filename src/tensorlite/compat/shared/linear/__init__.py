"""Matrices and linear operators, which both versions name alike."""
