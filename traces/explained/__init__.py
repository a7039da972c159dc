"""A run told in sentences: the whole of it, or a step, message, cycle or node of it; every figure is "
"exact."""

from senn.traces.explained.asked import explained
from senn.traces.explained.text import Explained

__all__ = ["Explained", "explained"]
