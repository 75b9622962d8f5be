"""Ragged and sparse tensors, as both versions have them alike."""
