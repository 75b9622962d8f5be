"""The collector of cycles is put off while graphs are made, and never for longer."""

from __future__ import annotations

import gc

import pytest

from tensorlite.core.collecting import uncollected


def test_blocks_within_blocks_end_with_the_outer_one() -> None:
    assert gc.isenabled()
    with uncollected():
        with uncollected():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(KeyError), uncollected():
        raise KeyError
    assert gc.isenabled()


def test_what_the_program_switched_off_stays_off() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
