"""Tests of distributed/, file for file."""
