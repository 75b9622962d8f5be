"""Tests of plans and runners."""
