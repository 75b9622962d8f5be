"""What a namespace of TensorFlow lists, and what is said of names and arguments that are not there.

known_names.txt lists TensorFlow's names: a line for each namespace of either version, such as
`v1.math: abs accumulate_n ...`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from itertools import chain


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


def listing(module: str, *have: Iterable[str]) -> Callable[[], list[str]]:
    """Return the `__dir__` of a namespace: of the names it has, those that TensorFlow has too.

    A module that serves both versions says a path, "data.experimental", in place of its name. So
    completion at a prompt shows what programs use and not what modules import.

    >>> from tensorlite.compat import v1 as tf
    >>> "bitwise_or" in dir(tf.bitwise), "annotations" in dir(tf.bitwise)
    (True, False)
    """

    def listed() -> list[str]:
        names = _public(chain(*have))
        return sorted(_told(_title(module)).intersection(names) or names)

    return listed


def attribute_error(module: str, name: str, have: Iterable[str]) -> AttributeError:
    """Return the error for a name that a namespace, by its module's name or path, does not have.

    >>> from tensorlite.compat.missing import attribute_error
    >>> print(attribute_error("tensorlite.compat.v1.math", "reduce_sums", ["reduce_sum"]))
    module 'tensorlite.compat.v1.math' has no attribute 'reduce_sums'; near it are: reduce_sum
    """
    title = _title(module)
    said = f"module {module!r} has no attribute {name!r}"
    version, _, path = title.partition(".")
    if version not in {"v1", "v2"}:  # a path, as `listing` has it
        version, path = "v2", title
    whole = ".".join(["tf", *path.split("."), name] if path else ["tf", name])
    names = known_names()
    if name in names.get(f"{version}.{path}" if path else version, ()):
        said = f"{said}: TensorFlow {version[1:]} has {whole}, which tensorlite does not serve"
    elif name in names.get(f"v1.{path}" if path else "v1", ()):
        said = f"{said}: TensorFlow 1 has {whole}, which compat.v2 does not serve; see compat.v1"
    near = get_close_matches(name, _public(have), 3, 0.75)
    listed = [*near, *_elsewhere(version, title, name)]
    return AttributeError(
        f"{said}; near it are: {', '.join(listed)}" if listed else said
    )


def _public(names: Iterable[str]) -> list[str]:
    return [x for x in names if not x.startswith("_")]


def _title(module: str) -> str:
    """Return what known_names calls a module: "v1.math"."""
    return module.removeprefix("tensorlite.compat.")


def _told(title: str) -> frozenset[str]:
    """Return TensorFlow's names of a namespace, those of either version for a mere path."""
    known = known_names()
    titles = title, f"v1.{title}", f"v2.{title}"
    return frozenset(chain(*(known.get(one, ()) for one in titles)))


def _elsewhere(version: str, title: str, name: str) -> list[str]:
    """Return in which other namespaces that version of TensorFlow has a name."""
    places = [x for x, names in known_names().items() if name in names and x != title]
    inside = [x.split(".")[1:] for x in places if x.partition(".")[0] == version]
    return [".".join(["tf", *path, name]) for path in sorted(inside, key=len)][:3]


UNUSED_BY_LAYERS = frozenset(
    [
        "autocast",
        "batch_input_shape",
        "batch_size",
        "dynamic",
        "input_shape",
        "weights",
    ]
)
"""What each layer takes beside its own arguments, and TensorFlow 1's do without."""


def refuse_arguments(what: str, unknown: Iterable[str]) -> None:
    """Raise TypeError if there are arguments that `what` does not take."""
    names = ", ".join(sorted(unknown))
    if names:
        raise TypeError(f"{what}: Keyword argument not understood: {names}")
