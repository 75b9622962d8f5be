"""tensorflow.core, TensorFlow's messages by their modules, which core_modules.py makes."""

from tensorlite.compat.core_modules import installed

__getattr__, __dir__ = installed(__name__)
