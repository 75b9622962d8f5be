"""Sound and spectra: Fourier transforms, frames, scales."""
