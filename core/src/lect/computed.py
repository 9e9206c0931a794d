"""Attributes that are computed when they are first read."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    computed = cached_property
else:

    class computed(cached_property):  # noqa: N801 - it is used like `property`
        """A `cached_property` without the lock of Python 3.11, which takes longer than what most of them compute."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value
