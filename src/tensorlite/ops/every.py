"""Every operator: importing this module imports all others of this folder, so that they register.

Programs import what they use. Who runs graphs that others made, such as the task of a cluster, has
to know all operators beforehand.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from tensorlite import ops

for _module in iter_modules(ops.__path__):
    if _module.name != __name__.rpartition(".")[2]:
        import_module(f"{ops.__name__}.{_module.name}")

__all__: list[str] = []
