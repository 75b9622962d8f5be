"""What Keras 3 calls the variables that optimizers keep beside weights, and how it orders them.

Which there are is said in tensorlite/train/optimizers.py; names of older versions stand in
base.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.weights import Weight
from tensorlite.train.optimizers import Optimizer, RMSProp

SLOTS = {
    ("Adam", "mean"): "m",
    ("Adam", "square_mean"): "v",
    ("Adam", "largest_square_mean"): "vhat",
    ("RMSProp", "square_mean"): "rms",
    ("RMSProp", "mean"): "mg",
    ("Adadelta", "square_mean"): "accum_grad",
    ("Adadelta", "step_mean"): "accum_var",
    ("_Leader", "square_sum"): "accumulator",
    ("_Largest", "mean"): "m",
    ("_Largest", "largest"): "v",
    ("Ahead", "mean"): "m",
    ("Ahead", "square_mean"): "v",
}
"""What Keras calls slots before its version 3, by the class that updates."""
_TITLES = {
    "mean": "momentum",
    "square_mean": "velocity",
    "largest_square_mean": "velocity_hat",
    "largest": "norm",
    "square_sum": "accumulator",
    "step_mean": "accumulated_delta_var",
}
_SPECIAL = {
    ("RMSProp", "mean"): "average_gradient",
    ("Adadelta", "square_mean"): "accumulated_grad",
}
_GROUPS = {
    "RMSProp": ("square_mean", "momentum", "mean"),
    "Adam": ("", "largest_square_mean"),
}
"""Slots that are listed for all variables before the next one is; others stand together."""


class Variables(list[Any]):
    """Variables, which some versions of Keras have as an attribute, others as a method."""

    def __call__(self) -> Variables:
        return self


def name_beside(variable: Any, owner: str, title: str) -> str:
    """Return the name of what an optimizer keeps beside a variable."""
    if not naming.is_keras_3():
        bare = str(variable.name).removesuffix(":0")
        prefix = "" if hasattr(variable, "bare_name") else f"{owner}/"
        return f"{prefix}{bare}/{title}"
    whole = getattr(variable, "path", variable.name).replace("/", "_")
    return f"{owner}/{whole}_{title}"


def _place(kind: str, slot: str) -> int:
    groups = _GROUPS.get(kind, ())
    return groups.index(slot) if slot in groups else 0


def _is_hidden(core: Optimizer, slot: str) -> bool:
    """Return whether the operator that updates asks for a slot which Keras does not have."""
    return isinstance(core, RMSProp) and slot == "momentum" and not core.momentum


def entitle(core: Optimizer, owner: str) -> None:
    """Give the slots of all variables the names that Keras has for those of an optimizer."""
    kind, is_keras_3 = type(core).__name__, naming.is_keras_3()
    for variable, slots in core._slots.values():  # noqa: SLF001  its own
        for name, slot in slots.items():
            title = SLOTS.get((kind, name), name)
            if is_keras_3:
                title = _SPECIAL.get((kind, name), _TITLES.get(name, name))
            if isinstance(slot, Weight):
                slot.name = name_beside(variable, owner, title)


def in_turn(core: Optimizer) -> list[tuple[Any, str, Any]]:
    """Return variables, names and slots as Keras 2 lists them: a slot of all, then the next one."""
    kind = type(core).__name__
    named = [
        (variable, name, beside[name])
        for name in core.slots
        for variable, beside in core.slots_beside()
        if not _is_hidden(core, name)
    ]
    if kind == "_Leader":  # one variable after the other
        places = [id(variable) for variable, _ in core.slots_beside()]
        named.sort(key=lambda found: places.index(id(found[0])))
    return [
        (variable, SLOTS.get((kind, name), name), slot)
        for variable, name, slot in named
    ]


def listed(core: Optimizer) -> list[Any]:
    """Return the slots of all variables in Keras' order."""
    kind = type(core).__name__
    found = [
        (_place(kind, name), slot)
        for _, slots in core._slots.values()  # noqa: SLF001  its own
        for name, slot in slots.items()
        if not _is_hidden(core, name)
    ]
    beside = [slot for _, slot in sorted(found, key=lambda pair: pair[0])]
    return [*beside, *getattr(core, "shared", ())]
