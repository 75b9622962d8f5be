"""Turns: a loop that runs the turns of another backwards, by what that puts on stacks.

Loops may be inside of each other. Each has its own loop back, inside of that of the one around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.spec import all_known
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.interop.tensorflow.rewinding.contexts import Context
from tensorlite.interop.tensorflow.rewinding.making import Maker
from tensorlite.interop.tensorflow.rewinding.surroundings import (
    Branch,
    Loop,
    NotRewoundError,
    fixed_enter,
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
_BACK = "/back_"
"""What is in the names of frames in which turns are gone back through."""


class Back(Loop):
    """The loop that goes back."""

    def __init__(self, turns: Turns, outer: Context | None) -> None:
        forward = turns.loop
        frame = f"{forward.entering().frame_name}{_BACK}{next(_frames)}"
        super().__init__(turns.maker, outer, Enter(frame, False, forward.parallel))
        self.forward: Context = forward
        self._turns = turns

    def remembered(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return what a tensor was in the turn that is gone back through."""
        return self._turns.saved(x)


class Turns:
    """The loop that goes back through the turns of a loop."""

    added: Node
    """What counts a turn."""
    back: Back

    def __init__(self, maker: Maker, loop: Loop, outer: Turns | None) -> None:
        if _BACK in loop.entering().frame_name:
            raise NotRewoundError("a loop goes back through the turns of another")
        self.maker = maker
        self.loop, self.outer = loop, outer
        self.switches: dict[Node, Node] = {}
        """The Merges that gradients of the loop's Switches are, by these."""
        self.pending = len(loop.exits)
        """How many Exits no gradient has come to yet."""
        self.deferred: list[Node] = []
        self.unused: list[Node] = []
        self.history: dict[SymbolicTensor, SymbolicTensor] = {}
        """What tensors of the loop were, as far as that was asked for."""
        self._forward_sync: Node | None = None
        self._sync: Node | None = None
        around = loop.outer if outer is None else outer.loop
        with maker.at(around):
            turns = self._count_forward()
        stack = None if outer is None else outer.pushed(turns)
        within = loop.outer if outer is None else outer.back
        with maker.at(within):
            self.back = Back(self, within)
            if outer is not None and stack is not None:
                turns = outer.popped(stack, turns)
            self._count_back(turns)

    def _count_forward(self) -> SymbolicTensor:
        """Return how many turns the loop ran."""
        loop, make = self.loop, self.maker.node
        assert loop.going_on is not None
        before = () if self.outer is None else (self.outer.added,)
        zero = self.maker.constant(0, "f_count", control=before)
        with self.maker.at(loop):
            loop.own.add(zero)
            entered = make(loop.entering(), (zero,), "f_count").outputs[0]
            merge = make(Merge(), (entered, entered))
            merge.outputs[0].respecify(zero.spec.without_value())
            branches = make(Switch(), (merge.outputs[0], loop.going_on))
            title = self.maker.numbered("Add")
            one = self.maker.constant(1, f"{title}/y")
            self.added = make(Add(), (branches.outputs[1], one), title)
            self._next = make(NextIteration(), self.added.outputs)
            merge.set_input(1, self._next.outputs[0])
            return make(Exit(), (branches.outputs[0],), "f_count").outputs[0]

    def _count_back(self, turns: SymbolicTensor) -> None:
        """Make the loop that counts down from the number of turns, into which all else goes."""
        back, make = self.back, self.maker.node
        one = self.maker.constant(1, "b_count")
        with self.maker.at(back):
            back.own.add(turns)
            entered = make(back.entering(), (turns,), "b_count").outputs[0]
            merge = make(Merge(), (entered, entered))
            merge.outputs[0].respecify(one.spec.without_value())
            back.pivot = merge
            test = make(GreaterEqual(), (merge.outputs[0], one))
            back.going_on = make(LoopCond(), test.outputs, "b_count").outputs[0]
            branches = make(Switch(), (merge.outputs[0], back.going_on))
            back.pivot = make(Sub(), (branches.outputs[1], one))
            self._following = make(NextIteration(), back.pivot.outputs)
            merge.set_input(1, self._following.outputs[0])
            last = make(Exit(), (branches.outputs[0],), "b_count")
        if self.outer is not None:
            self.outer.wait_for(last)

    # --- values of turns ------------------------------------------------------------------------

    def saved(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return what a tensor of the loop was in the turn that is gone back through."""
        if x not in self.history:
            self.history[x] = self._again(x)
        return self.history[x]

    def _again(self, x: SymbolicTensor) -> SymbolicTensor:
        here: Turns | None = self
        enter = fixed_enter(x)
        while enter is not None and here is not None:
            x, here = enter.inputs[0], here.outer
            enter = fixed_enter(x)
        if here is None:
            return self.back.value(x)
        if isinstance(x.node.op, Const):
            return self.maker.node(Const(x.node.op.value)).outputs[0]
        found = here.popped(here.pushed(x), x)
        return found if here is self else self.back.value(found)

    def pushed(self, x: SymbolicTensor, is_beside: bool = False) -> SymbolicTensor:
        """Return a stack on which the loop puts a tensor in every turn.

        One that is beside a branch is there where this is not taken.
        """
        maker = self.maker
        home = maker.contexts.of_output(x)
        if home is not self.loop and not isinstance(home, Branch):
            raise NotRewoundError(f"{x.name} is not of the loop that it is used in")
        with maker.at(None):
            most = maker.constant(-1, "Const")
            stack = maker.node(StackV2(x.spec.without_value()), (most,), "f_acc")
            entered = self.loop.value(stack.outputs[0])
        with maker.at(home.outer if is_beside else home):
            push = maker.node(StackPushV2(), (entered, x), control=(self.added,))
        if home is self.loop:
            _let_wait(self._next, push)
        else:
            maker.contexts.of[push] = home
            _let_wait(self._synchronised(), push)
        return stack.outputs[0]

    def _synchronised(self) -> Node:
        """Return what lets the next turn wait for what is put on stacks in branches."""
        if self._forward_sync is None:
            self._forward_sync = self._trigger("f_sync", self.loop, self._next)
        return self._forward_sync

    def _trigger(self, title: str, context: Context, before: Node) -> Node:
        with self.maker.at(None):
            made = self.maker.node(ControlTrigger(), (), title)
        self.maker.contexts.of[made] = context
        _let_wait(before, made)
        return made

    def popped(
        self, stack: SymbolicTensor, x: SymbolicTensor, is_beside: bool = False
    ) -> SymbolicTensor:
        """Return what a tensor was in the turn that is gone back through, from its stack."""
        maker = self.maker
        home = maker.contexts.of.get(x.node)
        chain: Iterable[Context] = () if home is None else home.chain()
        branch = next((one for one in chain if isinstance(one, Branch)), None)
        with maker.at(self.back):
            if branch is not None:
                side = 1 - branch.side if is_beside else branch.side
                pred = self.known(branch.pred)
                stack = maker.node(Switch(), (stack, pred)).outputs[side]
            pop = maker.node(StackPopV2(), (stack,))
        pop.outputs[0].respecify(x.spec.without_value())
        if self.loop.parallel > 1:
            self.wait_for(pop)
        return pop.outputs[0]

    def known(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return what a tensor was, if that was asked for already, here or around; else itself."""
        here: Turns | None = self
        while here is not None and x not in here.history:
            here = here.outer
        return x if here is None else here.history[x]

    def condition(self, pred: SymbolicTensor) -> SymbolicTensor:
        """Return which side of a conditional was taken in the turn that is gone back through."""
        if pred not in self.history:
            self.history[pred] = self.popped(self.pushed(pred), pred)
        return self.history[pred]

    def wait_for(self, node: Node) -> None:
        """Let the turn before wait for a node, be it dead or alive."""
        if self._sync is None:
            self._sync = self._trigger("b_sync", self.back, self._following)
        _let_wait(self._sync, node)

    # --- sums -----------------------------------------------------------------------------------

    def added_up(self, enter: Node, dx: SymbolicTensor) -> SymbolicTensor:
        """Return the sum over all turns of what flows into what a loop takes as it is."""
        make, back = self.maker.node, self.back
        first = self._first_sum(enter, dx)
        assert back.going_on is not None
        with self.maker.at(back):
            back.own.add(first)
            entered = make(back.entering(), (first,), "b_acc")
            merge = make(Merge(), (*entered.outputs, *entered.outputs), "b_acc")
            merge.outputs[0].respecify(dx.spec.without_value())
            branches = make(Switch(), (merge.outputs[0], back.going_on))
            total = make(Add(), (branches.outputs[1], dx))
            following = make(NextIteration(), total.outputs)
            merge.set_input(1, following.outputs[0])
            return make(Exit(), (branches.outputs[0],), "b_acc").outputs[0]

    def _first_sum(self, enter: Node, dx: SymbolicTensor) -> SymbolicTensor:
        maker, sizes = self.maker, dx.spec.shape
        if all_known(sizes):
            with maker.at(self.back.outer):
                return maker.constant(np.zeros(sizes), "b_acc", dx.dtype)
        if self.outer is None:
            with maker.at(self.back.outer):
                return maker.zeros(maker.shape(enter.inputs[0]), dx.dtype)
        with maker.at(self.loop.outer):
            shape = maker.shape(enter.inputs[0])
        return self.outer.zeros_of(shape, dx)

    def zeros_of(
        self, shape: SymbolicTensor, x: SymbolicTensor, is_beside: bool = False
    ) -> SymbolicTensor:
        """Return zeros of a shape that the loop had in the turn that is gone back through."""
        stack = self.pushed(shape, is_beside)
        with self.maker.at(self.back):
            sizes = self.popped(stack, shape, is_beside)
            return self.maker.zeros(sizes, x.dtype)


def _let_wait(node: Node, other: Node) -> None:
    node.control = (*node.control, other)
