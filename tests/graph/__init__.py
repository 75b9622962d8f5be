"""Tests of graphs, traces and tapes."""
