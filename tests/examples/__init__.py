"""Tests that run the examples, with small sizes, and look at what they return."""
