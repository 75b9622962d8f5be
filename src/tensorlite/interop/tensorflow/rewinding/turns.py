"""Turns: a loop that runs the turns of another backwards, by what that puts on stacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.op import Role
from tensorlite.core.scope import scope
from tensorlite.core.spec import all_known
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.interop.tensorflow.rewinding.making import Maker
from tensorlite.interop.tensorflow.rewinding.surroundings import (
    Around,
    NotRewoundError,
    Surroundings,
)
from tensorlite.ops.control.dataflow import (
    ControlTrigger,
    Enter,
    Exit,
    LoopCond,
    Merge,
    NextIteration,
    Switch,
)
from tensorlite.ops.control.step_stacks import StackPopV2, StackPushV2, StackV2
from tensorlite.ops.math.arithmetic import Sub
from tensorlite.ops.math.compare import GreaterEqual
from tensorlite.ops.older_forms import Add

_frames = count()


class Turns:
    """The loop that goes back through the turns of a loop."""

    def __init__(
        self,
        maker: Maker,
        around: Around,
        surroundings: Surroundings,
        outside: set[Node],
    ) -> None:
        self.maker = maker
        self.around = around
        self.surroundings = surroundings
        self.outside = outside
        """Nodes that are in no loop that goes back: those of before, and some made since."""
        named = {node.name: node for node in maker.graph.nodes}
        self.exits = [named[name] for name in around.exits]
        self.enters = [
            x.inputs[0].node.inputs[0].node.inputs[0].node for x in self.exits
        ]
        self.switches: dict[Node, Node] = {}
        """The Merges that gradients of the loop's Switches are, by these."""
        self.pending = len(self.exits)
        """How many Exits no gradient has come to yet."""
        self.deferred: list[Node] = []
        self.unused: list[Node] = []
        self._values: dict[SymbolicTensor, SymbolicTensor] = {}
        self._history: dict[SymbolicTensor, SymbolicTensor] = {}
        self._sync: Node | None = None
        self._count_forward()
        self._count_back()

    def _count_forward(self) -> None:
        switch = self.exits[0].inputs[0].node
        enter = switch.inputs[0].node.inputs[0].node
        if not isinstance(enter.op, Enter):
            raise NotRewoundError(f"{self.exits[0].name} ends no loop")
        self._entering = Enter(
            enter.op.frame_name, False, enter.op.parallel_iterations
        )
        self._fixed = Enter(enter.op.frame_name, True, enter.op.parallel_iterations)
        make, going_on = self.maker.node, switch.inputs[1]
        zero = self.maker.constant(0, "f_count")
        entered = make(self._entering, (zero,), "f_count").outputs[0]
        merge = make(Merge(), (entered, entered))
        merge.outputs[0].respecify(zero.spec.without_value())
        branches = make(Switch(), (merge.outputs[0], going_on))
        one = self.maker.constant(1, "Add/y", control=(merge,))
        self._added = make(Add(), (branches.outputs[1], one))
        self._next = make(NextIteration(), self._added.outputs)
        merge.set_input(1, self._next.outputs[0])
        self.turns = make(Exit(), (branches.outputs[0],), "f_count").outputs[0]
        parts = (zero.node, entered.node, merge, branches, one.node)
        self.outside.update([*parts, self._added, self._next, self.turns.node])

    def _count_back(self) -> None:
        make = self.maker.node
        parallel = self._entering.parallel_iterations
        self._frame = f"{self._entering.frame_name}/back_{next(_frames)}"
        one = self.maker.constant(1, "b_count")
        self.outside.add(one.node)
        entered = make(self.entering(), (self.turns,), "b_count").outputs[0]
        merge = make(Merge(), (entered, entered))
        merge.outputs[0].respecify(one.spec.without_value())
        with self.inside():
            test = make(GreaterEqual(), (merge.outputs[0], one))
            self.going_on = make(LoopCond(), test.outputs, "b_count").outputs[0]
            branches = make(Switch(), (merge.outputs[0], self.going_on))
            self.pivot = make(Sub(), (branches.outputs[1], one))
            self._back = make(NextIteration(), self.pivot.outputs)
        merge.set_input(1, self._back.outputs[0])
        self.outside.add(make(Exit(), (branches.outputs[0],), "b_count"))
        self._is_parallel = parallel > 1

    def entering(self, is_constant: bool = False) -> Enter:
        """Return what brings something into this loop."""
        return Enter(self._frame, is_constant, self._entering.parallel_iterations)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Make nodes of the loop; what they take from outside is brought in."""
        graph = self.maker.graph
        before, begun = graph.taking, len(graph.nodes)
        graph.taking = self.taken
        try:
            yield
        finally:
            graph.taking = before
        for node in graph.nodes[begun:]:
            if node not in self.outside and self._is_of_no_turn(node):
                node.control = (*node.control, self.pivot)

    def _is_of_no_turn(self, node: Node) -> bool:
        """Return whether nothing says in which turn a node is: it takes what is in all of them."""
        if isinstance(node.op, (Enter, ControlTrigger)) or self.pivot in node.control:
            return False
        sources = [x.node.op for x in node.inputs]
        return all(isinstance(op, Enter) and op.is_constant for op in sources)

    @contextmanager
    def left(self) -> Iterator[None]:
        """Make nodes outside of the loop, though inside of it."""
        graph = self.maker.graph
        before, begun = graph.taking, len(graph.nodes)
        graph.taking = None
        try:
            yield
        finally:
            graph.taking = before
            self.outside.update(graph.nodes[begun:])

    def taken(
        self, inputs: Iterable[SymbolicTensor], name: str
    ) -> list[SymbolicTensor]:
        """Return what stands for tensors in this loop, made below the name of who takes them."""
        here = scope.get().name
        with self.maker.below(name if here == self.maker.base else here):
            return [self._value(x) for x in inputs]

    def _value(self, x: SymbolicTensor) -> SymbolicTensor:
        if x.node not in self.outside:
            return x
        if x not in self._values:
            is_exit = x.node.op.role is Role.EXIT
            own = not is_exit and self.surroundings.loop(x.node) is self.around
            self._values[x] = self._saved(x) if own else self._entered(x)
        return self._values[x]

    def _entered(self, x: SymbolicTensor) -> SymbolicTensor:
        with self.left():
            made = self.maker.node(self.entering(True), (x,), "Enter")
        self.outside.discard(made)
        return made.outputs[0]

    def _saved(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return what a tensor was in the turn that is gone back through."""
        if isinstance(x.node.op, Enter) and x.node.op.is_constant:
            return self._value(x.node.inputs[0])
        if x not in self._history:
            self._history[x] = self._again(x)
        return self._history[x]

    def _again(self, x: SymbolicTensor) -> SymbolicTensor:
        if isinstance(x.node.op, Const):
            node = self.maker.node(Const(x.node.op.value), (), "Const", (self.pivot,))
            return node.outputs[0]
        with self.left():
            most = self.maker.constant(-1, "Const")
            stack = self.maker.node(StackV2(x.spec.without_value()), (most,), "f_acc")
            entered = self.maker.node(self._fixed, stack.outputs, "Enter").outputs[0]
            push = self.maker.node(
                StackPushV2(), (entered, x), control=(self._added,)
            )
            self._next.control = (*self._next.control, push)
        pop = self.maker.node(StackPopV2(), stack.outputs)
        pop.outputs[0].respecify(x.spec.without_value())
        if self._is_parallel:
            self._wait_for(pop)
        return pop.outputs[0]

    def _wait_for(self, pop: Node) -> None:
        if self._sync is None:
            self._sync = self.maker.node(ControlTrigger(), (), "b_sync", (pop,))
            self._back.control = (*self._back.control, self._sync)
        else:
            self._sync.control = (*self._sync.control, pop)

    def added_up(self, enter: Node, dx: SymbolicTensor) -> SymbolicTensor:
        """Return the sum over all turns of what flows into what a loop takes as it is."""
        make = self.maker.node
        with self.left():
            sizes = dx.spec.shape
            if all_known(sizes):
                first = self.maker.constant(np.zeros(sizes), "b_acc", dx.dtype)
            else:
                shape = self.maker.shape(enter.inputs[0])
                first = self.maker.zeros(shape, dx.dtype)
            entered = make(self.entering(), (first,), "b_acc")
            merge = make(Merge(), (*entered.outputs, *entered.outputs), "b_acc")
            merge.outputs[0].respecify(dx.spec.without_value())
            branches = make(Switch(), (merge.outputs[0], self.going_on))
            total = make(Add(), (branches.outputs[1], dx))
            following = make(NextIteration(), total.outputs)
            merge.set_input(1, following.outputs[0])
            return make(Exit(), (branches.outputs[0],), "b_acc").outputs[0]
