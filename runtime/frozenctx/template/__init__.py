"""Rendering of compiled templates: the names of a program, as `engine` and `program` supply them. Imports nothing."""
