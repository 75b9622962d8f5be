"""tensorflow.compiler.tf2xla: the operators of the compiler XLA."""

from tensorlite.compat.v2.compiler.tf2xla import python as python
