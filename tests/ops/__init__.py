"""Tests of the operators, one file a module, and of the contract that all keep."""
