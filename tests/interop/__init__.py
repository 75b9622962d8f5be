"""Tests of what exchanges programs with other libraries."""
