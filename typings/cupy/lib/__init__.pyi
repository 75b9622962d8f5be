"""The corner of the library that holds views by strides."""

from cupy.lib import stride_tricks as stride_tricks
