"""Every operator: importing this module imports all others of this folder, so that they register.

Programs import what they use. Who runs graphs that others made, such as the task of a cluster, has
to know all operators beforehand.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

from tensorlite import ops

for _module in walk_packages(ops.__path__, f"{ops.__name__}."):
    if _module.name != __name__:
        import_module(_module.name)

__all__: list[str] = []
