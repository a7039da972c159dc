"""The record of a run: four tables of whole cycles, and the values that small runs keep."""
