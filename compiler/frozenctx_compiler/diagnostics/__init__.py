"""Findings as data: Span, Diagnostic, Report, the registry of codes, and one module per output format."""

from .codes import CODES as CODES
from .model import Diagnostic as Diagnostic
from .model import Level as Level
from .model import Related as Related
from .model import Span as Span
from .report import Report as Report
from .report import Scope as Scope
