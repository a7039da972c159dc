"""The record of a run: four tables of whole cycles, and the values that small runs keep.

`schema`: what the tables look like, and the check of them. `trace`: the tables. `values`: every value of the
program and what each message carried.
"""

from senn.traces.record.schema import NULL, SCHEMA, Column, Detail
from senn.traces.record.trace import Trace
from senn.traces.record.values import Values

__all__ = ["NULL", "SCHEMA", "Column", "Detail", "Trace", "Values"]
