"""Filters and tests of the language, written out.

In: filters and tests whose arguments are constants, or names where those are not looked at by all values. Out: Python
expressions with the same value, effects and errors, in the same order. Where that is short for the values that most
templates have only, the others call the filter, which is looked up then: its module is not loaded for nothing.
"""

from __future__ import annotations

from typing import Any

from frozenctx.template.applying import pass_arg
from frozenctx.template.language import FILTERS, TESTS
from jinja2 import nodes
from jinja2.compiler import Frame

from .fold import optimizeconst
from .lean_expressions import Expressions
from .literals import literal
from .text import Hole, f_string

# Filters that are a function of Python's, and those that are a method of strings.
FUNCTIONS = {"abs": "abs", "count": "len", "length": "len", "list": "list"}
METHODS_OF_TEXT = {"capitalize": "capitalize", "lower": "lower", "trim": "strip", "upper": "upper"}
# What filters take besides the value, with the defaults. Constants of the same type are written out (for None, of any).
OPTIONS: dict[str, dict[str, Any]] = {
    **dict.fromkeys([*FUNCTIONS, "capitalize", "first", "last", "lower", "string", "upper"], {}),
    **dict.fromkeys(["max", "min"], {"case_sensitive": False, "attribute": None}),
    "as_xml": {"tag": "data"},
    "bulleted_list": {"bullet": "-"},
    "dictsort": {"case_sensitive": False, "by": "key", "reverse": False},
    "join": {"d": "", "attribute": None},
    "numbered_list": {"start": 1},
    "round": {"precision": 0, "method": "common"},
    "sort": {"reverse": False, "case_sensitive": False, "attribute": None},
    "sum": {"attribute": None, "start": 0},
    "trim": {"chars": None},
}
TRUNCATE = {"length": 255, "killwords": False, "end": "...", "leeway": None}
COMPARISONS = {
    **dict.fromkeys(("==", "eq", "equalto"), "=="),
    **dict.fromkeys(("!=", "ne"), "!="),
    **dict.fromkeys(("<", "lt", "lessthan"), "<"),
    **dict.fromkeys((">", "gt", "greaterthan"), ">"),
    "<=": "<=",
    "le": "<=",
    ">=": ">=",
    "ge": ">=",
    "in": "in",
}
# Tests without arguments: `{}` is the value; `{again}` and `{passed}` the name that it has by then, the latter where a
# function gets it. No module is loaded to find out what text is not.
PLAIN_TESTS = {
    "boolean": "(type({}) is bool)",
    "defined": "(not isinstance({}, Absent))",
    "even": "({} % 2 == 0)",
    "false": "({} is False)",
    "float": "isinstance({}, float)",
    "integer": "(isinstance({}, int) and type({again}) is not bool)",
    "mapping": "(type({}) is dict or (type({again}) is not str and tests['mapping']({passed})))",
    "none": "({} is None)",
    "number": "(isinstance({}, (int, float, complex)) or (type({again}) is not str and tests['number']({passed})))",
    "odd": "({} % 2 == 1)",
    "string": "isinstance({}, str)",
    "true": "({} is True)",
    "undefined": "isinstance({}, Absent)",
}


class ShortCuts(Expressions):
    # Tests

    @optimizeconst
    def visit_Test(self, node: nodes.Test, frame: Frame) -> None:
        reads = isinstance(node.node, nodes.Name | nodes.Getattr | nodes.Getitem | nodes.Filter | nodes.Call)
        # Python warns of what asks whether a constant is some object.
        reads = reads and self.value(node.node, frame) is ...
        short = self.short_test(node, frame) if self.settled and reads and self.is_own(node) else None
        if short is None:
            super().visit_Test(node, frame)
        else:
            self.take_short_cut("tests", node.name)
            self.write(short)

    def short_test(self, node: nodes.Test, frame: Frame) -> str | None:
        """Return what a test of the language asks, written out, or None."""
        if node.name in ("defined", "undefined") and not node.args:
            condition = self.defined(node.node, frame)[0]
            return f"({condition})" if node.name == "defined" else f"(not ({condition}))"
        if len(node.args) == 1 and node.name in COMPARISONS:
            subject = self.source(node.node, frame)
            return f"({subject} {COMPARISONS[node.name]} {self.source(node.args[0], frame)})"
        if node.args or node.name not in PLAIN_TESTS:
            return None
        if "{again}" in PLAIN_TESTS[node.name]:
            first, again, passed = self.operand(node.node, frame)
            return PLAIN_TESTS[node.name].format(first, again=again, passed=passed)
        return PLAIN_TESTS[node.name].format(self.source(node.node, frame))

    def tested(self, subject: str, name: str, arguments: list[str]) -> str | None:
        """Return the source of a test of the language by name, called with the sources of its arguments."""
        if name in COMPARISONS and len(arguments) == 1:
            return self.note_test(name, f"({subject} {COMPARISONS[name]} {arguments[0]})")
        if name in PLAIN_TESTS and not arguments and (subject.isidentifier() or "{again}" not in PLAIN_TESTS[name]):
            return self.note_test(name, PLAIN_TESTS[name].format(subject, again=subject, passed=subject))
        return f"{self.tests[name]}({', '.join([subject, *arguments])})" if pass_arg(TESTS[name]) is None else None

    def note_test(self, name: str, source: str) -> str:
        self.take_short_cut("tests", name)
        return source

    # Filters

    @optimizeconst
    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:
        short = None
        if self.settled and self.is_of_the_language(node) and not (node.dyn_args or node.dyn_kwargs):
            short = self.short_filter(node, frame)
        if short is None:
            super().visit_Filter(node, frame)
        else:
            self.take_short_cut("filters", node.name)
            self.write(short)

    def short_filter(self, node: nodes.Filter, frame: Frame) -> str | None:
        """Return what a filter of the language does, written out, or None."""
        if node.node is None:
            return self.block_filter(node, frame)
        values = [self.value(argument, frame) for argument in node.args]
        if node.name in OPTIONS:
            options = self.constants(node, frame, OPTIONS[node.name])
            return None if options is None else self.by_options(node, node.node, options, frame)
        if node.name == "truncate":
            return self.truncated(node, node.node, frame)
        match node.name, values, node.kwargs:
            case "default" | "d", [] | [_] | [_, bool()], []:
                return self.defaulted(node.node, node.args[0] if node.args else None, values[1:] == [True], frame)
            case "replace", [str(old), str(new)], [] if not frame.eval_ctx.autoescape:
                return f"str({self.source(node.node, frame)}).replace({literal(old)}, {literal(new)})"
            case "format", [_, *_], []:
                template = self.value(node.node, frame)
                if type(template) is str and not frame.eval_ctx.autoescape:
                    arguments = ", ".join(self.source(argument, frame) for argument in node.args)
                    if len(node.args) == 1 or all(self.is_inert(argument, frame) for argument in node.args):
                        return f"({literal(template)} % ({arguments},))"
                    # Not `%`: Python makes an f-string of that, which converts before it evaluates all.
                    return f"{literal(template)}.__mod__(({arguments},))"
        return None

    def block_filter(self, node: nodes.Filter, frame: Frame) -> str | None:
        """A filter of a block: what it is applied to is text."""
        if node.name not in METHODS_OF_TEXT or node.args or node.kwargs or frame.eval_ctx.autoescape:
            return None
        return f"concat({frame.buffer}).{METHODS_OF_TEXT[node.name]}()"

    def is_unseen(self, node: nodes.Expr, frame: Frame) -> bool:
        """Whether it makes no difference if `node` is evaluated at all: it is inert, or a list or the like of such."""
        match node:
            case nodes.List() | nodes.Tuple():
                return all(self.is_unseen(item, frame) for item in node.items)
            case nodes.Dict():
                keys = all(self.value(pair.key, frame) is not ... for pair in node.items)
                return keys and all(self.is_unseen(pair.value, frame) for pair in node.items)
            case nodes.Filter(name="default" | "d", node=nodes.Name(), args=[] | [_], kwargs=[]) if self.is_own(node):
                return all(self.is_unseen(argument, frame) for argument in node.args)
        return self.is_inert(node, frame)

    def defaulted(self, subject: nodes.Expr, default: nodes.Expr | None, boolean: bool, frame: Frame) -> str:
        first, value = self.possible(subject, frame)
        other = self.source(default, frame) if default is not None else "''"
        if default is not None and not self.is_unseen(default, frame):
            name = self.temporary_identifier()
            first, other = f"({first}, {name} := {other})[0]", name  # both are evaluated, whichever it is
        also = f" and {value}" if boolean else ""
        return f"({value} if {first} is not missing and not isinstance({value}, Absent){also} else {other})"

    def by_name(self, node: nodes.Filter, names: dict[str, Any]) -> dict[str, nodes.Expr] | None:
        """Return the arguments of a filter by the names of its parameters, or None for what does not fit."""
        found: dict[str, nodes.Expr] = dict(zip(names, node.args, strict=False))
        further: dict[str, nodes.Expr] = {str(keyword.key): keyword.value for keyword in node.kwargs}
        fit = len(node.args) <= len(names) and len(further) == len(node.kwargs)
        return found | further if fit and further.keys() <= names.keys() - found.keys() else None

    def constants(self, node: nodes.Filter, frame: Frame, defaults: dict[str, Any]) -> list[Any] | None:
        """Return a filter's constant arguments, in the order of its parameters; None if some are something else."""
        given = self.by_name(node, defaults)
        if given is None:
            return None
        values = {name: self.value(argument, frame) for name, argument in given.items()}
        for name, value in values.items():
            if value is ... or (defaults[name] is not None and type(value) is not type(defaults[name])):
                return None
        return list((defaults | values).values())

    def by_options(self, node: nodes.Filter, subject: nodes.Expr, options: list[Any], frame: Frame) -> str | None:
        """Return a filter of `OPTIONS` written out, or None."""
        name = node.name
        match name, options:
            case "first" | "last", []:
                items = self.source(subject, frame)
                items = items if name == "first" else f"reversed({items})"
                return self.unless_empty(f"next(iter({items}), missing)", f"No {name} item, sequence was empty.")
            case "string", []:
                first, again, passed = self.operand(subject, frame)
                return f"({again} if isinstance({first}, str) else str({passed}))"
            case _, [] if name in FUNCTIONS:
                return f"{FUNCTIONS[name]}({self.source(subject, frame)})"
            case ("trim", [None | str()]) | (_, []):
                first, again, passed = self.operand(subject, frame)
                argument = literal(options[0]) if options and options[0] is not None else ""
                general = f"{self.seldom(name)}({', '.join([passed, argument] if argument else [passed])})"
                return f"({again}.{METHODS_OF_TEXT[name]}({argument}) if type({first}) is str else {general})"
            case "as_xml", [tag]:
                first, _, passed = self.operand(subject, frame)
                escaped = "".join(f".replace({old}, {new})" for old, new in (("'&'", "'&amp;'"), ("'<'", "'&lt;'")))
                escaped = f"('' if {first} is None else str({passed})){escaped}.replace('>', '&gt;')"
                return f"{literal(f'<{braced(tag)}>{{}}</{braced(tag)}>')}.format({escaped})"
            case "bulleted_list" | "numbered_list", [option]:
                return self.listed(subject, option, frame)
            case "round", [precision, "common"]:
                return f"round({self.source(subject, frame)}, {literal(precision)})"
            case "join", [between, attribute] if not frame.eval_ctx.autoescape:
                each = self.each(subject, attribute, frame)
                return each and f"{literal(between)}.join(map(str, {each}))"
            case "sum", [attribute, start]:
                each = self.each(subject, attribute, frame)
                return each and f"sum({each}{f', {literal(start)}' if start else ''})"
            case "max" | "min", [case_sensitive, attribute]:
                return self.chosen(name, subject, attribute, case_sensitive, frame)
            case "dictsort", [case_sensitive, "key" | "value" as by, reverse]:
                item = self.temporary_identifier()
                key = folded(f"{item}[{('key', 'value').index(by)}]", case_sensitive)
                items = self.source(subject, frame)
                if self.value(subject, frame) is ...:  # a number has no methods
                    return f"sorted({items}.items(), key=lambda {item}: {key}{', reverse=True' if reverse else ''})"
            case "sort", [reverse, case_sensitive, attribute]:
                item = self.temporary_identifier()
                paths = attribute.split(",") if type(attribute) is str else [attribute]
                keys = [self.read_path(item, path) for path in paths]
                if all(keys):
                    key = ", ".join(folded(key, case_sensitive) for key in keys)
                    # Lists, because lists of what is the same are equal.
                    key = f"key=lambda {item}: [{key}]{', reverse=True' if reverse else ''}"
                    return f"sorted({self.source(subject, frame)}, {key})"
        return None

    def listed(self, subject: nodes.Expr, option: str | int, frame: Frame) -> str | None:
        """Return the source of one line for each item, behind a bullet or numbered from a number on."""
        items = self.source(subject, frame)
        if ":=" in items:
            return None  # Python forbids that there
        item = self.temporary_identifier()
        names, line = item, list[str | Hole]([Hole(item, subject.lineno, is_text=True)])
        if isinstance(option, int):
            number = self.temporary_identifier()
            names, items = f"{number}, {item}", f"enumerate({items}, {literal(option)})"
            line = [Hole(number, subject.lineno, is_text=True), ". ", *line]
        else:
            line = [f"{option} ", *line]
        return f"{literal(chr(10))}.join([{f_string(line)} for {names} in {items}])"

    def unless_empty(self, source: str, message: str) -> str:
        """Return a source for the value of `source`, or something undefined in the place of `missing`."""
        found = self.temporary_identifier()
        return f"({found} if ({found} := {source}) is not missing else undefined({literal(message)}))"

    def each(self, subject: nodes.Expr, attribute: object, frame: Frame) -> str | None:
        """Return the source of the items of `subject`, or of what `attribute` names in them."""
        if attribute is None:
            return self.source(subject, frame)
        item = self.temporary_identifier()
        value = self.read_path(item, attribute)
        return f"map(lambda {item}: {value}, {self.source(subject, frame)})" if value else None

    def chosen(
        self, name: str, subject: nodes.Expr, attribute: object, case_sensitive: bool, frame: Frame
    ) -> str | None:
        item = self.temporary_identifier()
        value = self.read_path(item, attribute)
        if not value:
            return None
        key = "" if case_sensitive else ", key=ignore_case"
        if attribute is not None:
            key = f", key=lambda {item}: {folded(value, case_sensitive)}"
        items = self.source(subject, frame)
        if isinstance(subject, nodes.List) and subject.items:
            return f"{name}({items}{key})"
        return self.unless_empty(f"{name}({items}{key}, default=missing)", "No aggregated item, sequence was empty.")

    def truncated(self, node: nodes.Filter, subject: nodes.Expr, frame: Frame) -> str | None:
        """Short text stays as it is, whatever the policy says of the leeway."""
        given = self.by_name(node, TRUNCATE)
        if given is None or not all(self.is_inert(argument, frame) for argument in given.values()):
            return None
        values = {name: self.value(argument, frame) for name, argument in given.items()}
        length, _, end, leeway = (TRUNCATE | values).values()
        if type(end) is not str or not (leeway is None or (type(leeway) is int and leeway >= 0)):
            return None
        first, again, passed = self.operand(subject, frame)
        if type(length) is int and length >= len(end):
            short = f"len({again}) <= {length + (leeway or 0)}"
        elif length is ...:
            limit = self.operand(given["length"], frame)[0]
            short = f"type({limit}) is int and {len(end)} <= {limit} >= len({again})"
        else:
            return None
        with self.captured() as stream:
            self.signature(node, frame)
        general = f"{self.seldom('truncate')}(environment, {passed}{stream.getvalue()})"
        return f"({again} if type({first}) is str and {short} else {general})"

    def read_path(self, item: str, path: object) -> str:
        """Return the source of what the dotted `path` names in `item` (the number of an item: that one; None: `item`
        itself); none for paths that are no text of ASCII."""
        if path is None:
            return item
        if type(path) is int:
            return f"getitem({item}, {literal(path)})"
        if type(path) is not str or not path.isascii():
            return ""
        first, *rest = [int(part) if part.isdigit() else part for part in path.split(".")]
        key = literal(first)
        source = f"getitem({item}, {key})"
        if type(first) is str:
            source = f"({item}[{key}] if type({item}) is dict and {key} in {item} else {source})"
        for part in rest:
            source = f"getitem({source}, {literal(part)})"
        return source

    def mapped(self, item: str, name: str, arguments: list[nodes.Expr], frame: Frame) -> str:
        """Return the source of a filter of the language by name, applied to `item`; none if it takes more than that."""
        if name not in FILTERS or self.environment.filters.get(name) is not FILTERS[name]:
            return ""
        if pass_arg(FILTERS[name]) is not None:
            return ""
        subject: nodes.Expr = object.__new__(nodes.InternalName)
        nodes.Node.__init__(subject, item)
        self.taken[subject] = item
        return self.source(nodes.Filter(subject, name, arguments, [], None, None), frame)


def folded(source: str, case_sensitive: bool) -> str:
    return source if case_sensitive else f"ignore_case({source})"


def braced(text: str) -> str:
    """Return `text` as `format` takes it."""
    return text.replace("{", "{{").replace("}", "}}")
