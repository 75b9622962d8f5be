"""Optimizers whose rule is one operator: its slots, its hyperparameters as tensors, its calls.

The rules are in ops/nn/training.py, the optimizers in optimizer_classes.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.training.optimizer import Optimizer
from tensorlite.compat.views import in_graph, plain
from tensorlite.ops.fetchable import effect
from tensorlite.ops.nn.applying import Apply, SparseApply


class ByRule(Optimizer):
    """An optimizer whose rule is one operator: it says which slots and hyperparameters it takes."""

    _rule: Apply
    _slot_names: tuple[str, ...] = ()
    _hyper_names: tuple[str, ...] = ()
    _as_tensor = "_tensor"
    """How the attributes end that have hyperparameters as tensors, which subclasses use and set."""

    def _prepare(self) -> None:
        for name in self._hyper_names:
            given = self._call_if_callable(getattr(self, f"_{name}"))
            made = framework.convert_to_tensor(given, name=self._title(name))
            setattr(self, f"_{name}{self._as_tensor}", made)

    def _title(self, name: str) -> str:
        """Return what a hyperparameter's tensor is called."""
        return name

    @property
    def _hyper(self) -> list[Any]:
        """The hyperparameters as tensors."""
        return [getattr(self, f"_{x}{self._as_tensor}") for x in self._hyper_names]

    def _hyper_of(self, var: Any) -> list[Any]:
        """Return the hyperparameters as the rule takes them, as plain tensors."""
        return [plain(cast(x, var.dtype)) for x in self._hyper]

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self._applied_by(self._rule, "Apply", var, [plain(grad)])

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        rows = plain(grad)
        given = [rows.values, rows.indices]
        return self._applied_by(SparseApply(self._rule), "SparseApply", var, given)

    def _applied_by(self, rule: Any, verb: str, var: Any, given: list[Any]) -> Any:
        """Return the update by a rule, or by that for rows, of a variable and its slots."""
        states = [var.handle]
        states += [self.get_slot(var, name).handle for name in self._slot_names]
        inputs = self._rule.ordered(states, self._hyper_of(var), *given)
        label = self._rule.name.removeprefix("ResourceApply").removesuffix("ByPowers")
        kind = "" if getattr(var, "is_reference", True) else "Resource"
        return in_graph(lambda: effect(rule, *inputs), f"{kind}{verb}{label}")
