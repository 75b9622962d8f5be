"""tensorflow.compiler.tf2xla.python: the operators of the compiler XLA, by their module."""

from tensorlite.compat.v2.compiler.tf2xla.python import xla as xla
