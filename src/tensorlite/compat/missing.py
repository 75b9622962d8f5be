"""attribute_error: what is said of a name of TensorFlow that is not there, and what is near it.

known_names.txt lists TensorFlow's names: a line for each namespace of either version, such as
`v1.math: abs accumulate_n ...`.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from importlib.resources import files


@cache
def known_names() -> dict[str, frozenset[str]]:
    """Return TensorFlow's names by namespace.

    >>> from tensorlite.compat.missing import known_names
    >>> "matmul" in known_names()["v1.linalg"]
    True
    """
    text = files(__package__).joinpath("known_names.txt").read_text(encoding="utf-8")
    pairs = [line.split(": ", 1) for line in text.splitlines()]
    return {title: frozenset(names.split()) for title, names in pairs}


def attribute_error(module: str, name: str, have: Iterable[str]) -> AttributeError:
    """Return the error for a name that a namespace, by its module's name, does not have.

    >>> from tensorlite.compat.missing import attribute_error
    >>> print(attribute_error("tensorlite.compat.v1.math", "reduce_sums", ["reduce_sum"]))
    module 'tensorlite.compat.v1.math' has no attribute 'reduce_sums'; near it are: reduce_sum
    """
    title = module.partition("tensorlite.compat.")[2]
    said = f"module {module!r} has no attribute {name!r}"
    version, _, path = title.partition(".")
    for kind in (version, "v1"):  # what version 1 has of version 2, too
        if name in known_names().get(f"{kind}.{path}" if path else kind, ()):
            whole = ".".join(["tf", *path.split("."), name] if path else ["tf", name])
            said = f"{said}: TensorFlow {kind[1:]} has {whole}, which tensorlite does not serve"
            break
    near = get_close_matches(
        name, [x for x in have if not x.startswith("_")], 3, 0.75
    )
    listed = [*near, *_elsewhere(version, title, name)]
    return AttributeError(
        f"{said}; near it are: {', '.join(listed)}" if listed else said
    )


def _elsewhere(version: str, title: str, name: str) -> list[str]:
    """Return in which other namespaces that version of TensorFlow has a name."""
    places = [x for x, names in known_names().items() if name in names and x != title]
    inside = [x.split(".")[1:] for x in places if x.partition(".")[0] == version]
    return [".".join(["tf", *path, name]) for path in sorted(inside, key=len)][:3]
