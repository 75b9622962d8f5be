"""Tests of the vocabulary: devices, scopes, accounts of memory."""
