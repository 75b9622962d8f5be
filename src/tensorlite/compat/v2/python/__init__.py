"""tensorflow.python, by the public names of this version: inner_modules.py makes its modules."""

from tensorlite.compat.inner_modules import installed

__getattr__, __dir__ = installed(__name__, "tensorlite.compat.v2")
