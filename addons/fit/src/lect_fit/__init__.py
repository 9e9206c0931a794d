"""Fit: the smallest stated change that lets a format carry a request, and what each format carries."""

from lect_fit.carried import Carried, carried
from lect_fit.effort import effort
from lect_fit.fit import fit
from lect_fit.fitted import Change, Fitted, Left

__all__ = ["Carried", "Change", "Fitted", "Left", "carried", "effort", "fit"]
