"""Tests on a GPU, or on the stand-in for one."""
