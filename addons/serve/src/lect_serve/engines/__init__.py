"""Engines: what generates tokens, behind one interface."""
