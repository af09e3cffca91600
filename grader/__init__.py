"""Grade AI answers against an expert's Excel workbook of criteria."""

__version__ = "0.1.0"
