"""Measurements: `make bench` runs run.py. No test times anything."""
