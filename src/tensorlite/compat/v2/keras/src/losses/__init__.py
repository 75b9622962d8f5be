"""Losses of Keras: functions, and classes of them."""
