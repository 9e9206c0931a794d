"""The engines that a server can stand before, and how one is recognised."""
