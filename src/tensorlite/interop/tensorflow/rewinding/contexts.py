"""Context: a branch or a loop of primitives, into which nodes are put; which nodes each has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from tensorlite.core.op import Role
from tensorlite.graph.graph import Node, SymbolicTensor


class Context(ABC):
    """A branch or a loop: what is put into it, and what stands in it for tensors of outside."""

    is_loop = False
    forward: Context | None = None
    """The loop whose turns this one goes back through, if it does."""

    def __init__(self, outer: Context | None) -> None:
        self.outer = outer
        self.own: set[SymbolicTensor] = set()
        """Tensors that count as its own, though they are made elsewhere."""
        self.external: dict[SymbolicTensor, SymbolicTensor] = {}
        """What stands here for tensors from outside."""

    def chain(self) -> Iterator[Context]:
        """Yield this and all that it is inside of, the innermost first."""
        here: Context | None = self
        while here is not None:
            yield here
            here = here.outer

    def remembered(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return what a tensor was in the turn that is gone back through; itself elsewhere."""
        return x

    @abstractmethod
    def value(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return what a tensor is here; from outside it is brought in."""

    @abstractmethod
    def adopt(self, node: Node) -> None:
        """Let a new node run only where this does."""


class Contexts:
    """Which branch or loop each node is in."""

    def __init__(self) -> None:
        self.of: dict[Node, Context] = {}

    def of_output(self, x: SymbolicTensor) -> Context | None:
        """Return where a tensor is: what leaves a loop is outside of it."""
        found = self.of.get(x.node)
        return found.outer if found and x.node.op.role is Role.EXIT else found

    def knows(self, context: Context, x: SymbolicTensor) -> bool:
        """Return whether a tensor is there in a branch or loop."""
        if x in context.own or x in context.external:
            return True
        home = self.of_output(x)
        return home is not None and context in home.chain()


def loop_of(context: Context | None) -> Context | None:
    """Return the innermost loop around what is in a branch or loop, itself among them."""
    chain = () if context is None else context.chain()
    return next((one for one in chain if one.is_loop), None)
