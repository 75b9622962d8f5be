"""Spectra, frames and windows: `tf.signal`."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.signal import *
from tensorlite.compat.v1.functions.signal_written import (
    frame as frame,
    inverse_stft as inverse_stft,
    inverse_stft_window_fn as inverse_stft_window_fn,
    linear_to_mel_weight_matrix as linear_to_mel_weight_matrix,
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms,
    overlap_and_add as overlap_and_add,
    stft as stft,
)

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
