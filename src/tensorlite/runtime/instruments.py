"""observed, marked: what is done around kernels and steps that are about to run, if anything is.

Timelines, accounts of memory and checks for NaN are instrumented plans; this file knows who wants
one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from tensorlite.core import accounts
from tensorlite.core.numerics import checking
from tensorlite.runtime import timeline
from tensorlite.runtime.instrument import instrumented
from tensorlite.runtime.numerics import checked
from tensorlite.runtime.plan import Plan

P = ParamSpec("P")
R = TypeVar("R")


def observed(plan: Plan) -> Plan:
    """Return a plan, on the device where it will run, with all around its kernels that is due."""
    recorder = timeline.current()
    if recorder is not None:
        plan = instrumented(plan, "timeline", recorder.wrap)
    if checking.get():
        plan = instrumented(plan, "numerics", checked)
    if accounts.active():
        plan = instrumented(plan, "accounts", accounts.counted)
    return plan


def marked(run: Callable[P, R], name: str) -> Callable[P, R]:
    """Return what runs a step, with a note of it in the timeline if one is kept."""
    recorder = timeline.current()
    return run if recorder is None else recorder.step(name, run)
