"""Goes through a package's templates with the types of its `Input`, as a rendering would, and notes what cannot be.

In: templates, the declarations of their stub, what the host supplies. Out: mistakes: uses of what is not declared, of
attributes that there are not, of what may be left out, and loops over something that is no collection.

As in a rendering, what is undefined is a value like others until something touches it. Macros, includes and blocks are
gone through with what reaches them, each use for itself; a macro that nothing calls is not. Whatever is not understood
is `Anything`, of which nothing is said. Recursion ends: the same macro with the same values is gone through once, and
with a limited number of others.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from jinja2 import nodes

from ..captures import targets_of
from ..check_templates import templates_of
from . import attributes, conditions
from .expressions import leaves_out, literals_in, path_of, text_of, uses_loop
from .filters import Filtering, filtered
from .methods import items, result
from .outlines import Outlines
from .scopes import DEEPEST, Frame, Scope
from .types import Anything, Field, Scalar
from .values import (
    ANYTHING,
    INTEGER,
    NUMBER,
    TEXT,
    Absent,
    Global,
    Instance,
    Kind,
    Loop,
    Macro,
    Mapping,
    Member,
    Method,
    Mistake,
    MistakeKind,
    Module,
    Nothing,
    Record,
    Sequence,
    Tuple,
    Types,
    Value,
    either,
    held,
    of_constant,
    place,
    some,
)

if TYPE_CHECKING:
    from ..check_templates import HostNames
    from ..package import ReadPackage, TemplateText

MOST_VISITS = 24  # of one macro, block, template: with so many different values, more will not tell anything new
DEEPEST_VISIT = 24  # how deep visits stand in each other
GLOBALS = frozenset(["cycler", "dict", "joiner", "lipsum", "namespace", "range"])
UNSET = frozenset(["not-here", "undeclared", "without-context"])  # asked for again: macros and blocks may see more
SPECIAL = frozenset(["caller", "kwargs", "self", "super", "varargs"])  # where nothing gives them a meaning


@dataclass(frozen=True, slots=True, eq=False)
class NotIterable:
    """A loop, or a filter that goes through its input, over something that is no collection."""

    template: "TemplateText"
    node: nodes.Node
    text: str
    kinds: tuple[Kind, ...]
    field: Field | None


Found = Mistake | NotIterable


@dataclass(slots=True)
class Inference:
    """One package. `given`: variables that have a value when they are left out. `found`: in the order of discovery."""

    read: "ReadPackage"
    types: Types
    given: frozenset[str]
    host: "HostNames"
    outlines: Outlines
    found: dict[tuple[str, nodes.Node], Found] = field(default_factory=dict)
    called: dict[nodes.Node, None] = field(default_factory=dict)  # what is called where it stands
    inputs: dict[str, Member] = field(default_factory=dict)
    origins: dict[nodes.Node, Field] = field(default_factory=dict)
    loops: dict[nodes.For, bool] = field(default_factory=dict)  # whether they make `loop`
    visits: dict[nodes.Node, set[object]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)  # names that were read
    is_cut: bool = False  # whether something was too deep to be gone through: what it sets is not known
    depth: int = 0  # of visits
    nesting: int = 0  # of statements and expressions, in all that is being visited
    changed: frozenset[str] = frozenset()  # variables that some template changes in place
    unnamed: set[nodes.Node] = field(default_factory=set)  # literals that nothing can change in place

    def run(self) -> Iterable[Found]:
        """Go through the templates of all roles."""
        declared = self.types.declared.input
        assert declared is not None
        self.inputs = self.types.members(declared)
        own = [role.template for role in self.read.roles]
        changed = [self.outlines.changed(template) for template in templates_of(self.read)]
        self.changed = frozenset().union(*changed)
        for template in own:
            self.template(template, Scope(Frame(template, {}, inputs=True)))
        return self.found.values()

    # Templates and statements. `walk` is true when the statements end with `break` or `continue`.

    def template(
        self, template: "TemplateText", outside: Scope, blocks: dict[str, list[tuple[nodes.Block, Frame]]] | None = None
    ) -> Scope:
        """Go through a template. `outside`: what it sees; `blocks`: of the templates that extend it."""
        blocks = {} if blocks is None else blocks
        frame = Frame(template, blocks, outside.frame.inputs)
        for node in self.outlines.blocks(template):
            blocks.setdefault(node.name, []).append((node, frame))
        root = Scope(frame, outside)
        extends = [node for node in template.tree.body if isinstance(node, nodes.Extends)]
        self.walk(template.tree.body, root, silent_after=extends[0] if extends else None)
        for extending in extends:
            self.extend(extending, root)
        for extending, branch in frame.extending:
            self.extend(extending, branch)
        return root

    def extend(self, node: nodes.Extends, scope: Scope) -> None:
        for target in targets_of(node):
            if target in self.read.partials:
                parent = self.read.partials[target]
                blocks = {name: list(versions) for name, versions in scope.frame.blocks.items()}
                self.visit(parent.tree, object(), partial(self.template, parent, scope, blocks))

    def extend_later(self, node: nodes.Extends, scope: Scope) -> None:
        """In a branch as well: the other template comes after all of this one, and sees what is set until then."""
        scope.frame.extending.append((node, scope))

    def walk(self, body: list[nodes.Node], scope: Scope, silent_after: nodes.Node | None = None) -> bool:
        """Go through statements. What a template prints after it `silent_after` extends another is never printed."""
        if self.nesting >= DEEPEST:
            self.is_cut = True
            return False
        self.nesting += 1
        silent = ends = False
        for node in body:
            if silent and isinstance(node, nodes.Output | nodes.Block | nodes.Include | nodes.CallBlock):
                continue
            if node is silent_after:
                silent = True
                continue
            visit = _STATEMENTS.get(type(node))
            if visit is not None and visit(self, node, scope):
                ends = True
                break
        self.nesting -= 1
        return ends

    def output(self, node: nodes.Output, scope: Scope) -> None:
        for printed in node.nodes:
            if not isinstance(printed, nodes.TemplateData):
                self.use(self.infer(printed, scope))

    def leave(self, node: nodes.Break | nodes.Continue, scope: Scope) -> bool:
        return True

    def branches(self, node: nodes.If, scope: Scope) -> bool:
        rest, ends = scope, []
        for test, body in [(node.test, node.body), *((each.test, each.body) for each in node.elif_)]:
            _value, true, false = conditions.evaluate(self, test, rest)
            branch = rest.inside(true)
            if conditions.always(test) is not False and not self.walk(body, branch):
                ends.append(branch)
            rest = rest.inside(false)
        if not self.walk(node.else_, rest):
            ends.append(rest)
        if not ends:
            return True
        scope.merge(ends)
        return False

    def loop(self, node: nodes.For, scope: Scope) -> None:
        if self.changed:
            self.unnamed.update(literals_in(node.iter))
        found = self.items(self.infer(node.iter, scope), node.iter, scope)
        self.iteration(node, found, scope)
        self.walk(node.else_, scope.inside())

    def iteration(self, node: nodes.For, found: Value, scope: Scope) -> None:
        inner = scope.inside()
        if len(found) > 1 and (node.test is not None or leaves_out(node.body)):
            found = some(found)
        self.assign(node.target, found, inner)
        if node.test is not None:
            inner = inner.inside(conditions.evaluate(self, node.test, inner)[1])
        body = inner.inside()
        if node not in self.loops:
            text = scope.frame.template.text
            self.loops[node] = ("loop" in text or "scoped" in text or node.recursive) and uses_loop(node)
        if self.loops[node]:
            body.own["loop"] = (Loop(node, found, scope),)
        self.walk(node.body, body)

    def with_(self, node: nodes.With, scope: Scope) -> None:
        inner = scope.inside()
        for target, value in zip(node.targets, node.values, strict=True):
            self.assign(target, self.infer(value, scope), inner)
        self.walk(node.body, inner)

    def set_(self, node: nodes.Assign, scope: Scope) -> None:
        self.assign(node.target, self.infer(node.node, scope), scope, node.node)

    def set_block(self, node: nodes.AssignBlock, scope: Scope) -> None:
        self.walk(node.body, scope.inside())
        self.assign(node.target, TEXT if node.filter is None else self.infer(node.filter, scope), scope)

    def filter_block(self, node: nodes.FilterBlock, scope: Scope) -> None:
        self.walk(node.body, scope.inside())
        self.use(self.infer(node.filter, scope))

    def macro(self, node: nodes.Macro, scope: Scope) -> None:
        scope.assign(node.name, (Macro(node, scope),))

    def call_block(self, node: nodes.CallBlock, scope: Scope) -> None:
        self.call(node.call, scope, caller=Macro(node, scope))

    def do(self, node: nodes.ExprStmt, scope: Scope) -> None:
        self.infer(node.node, scope)

    def scoped(self, node: Any, scope: Scope) -> None:
        self.walk(node.body, scope.inside())

    def block(self, node: nodes.Block, scope: Scope) -> None:
        versions = scope.frame.blocks.get(node.name, [])
        if versions:
            outside = scope if versions[0][0].scoped or node.scoped else self.root(scope)
            self.render_block(node.name, 0, outside, scope)

    def render_block(self, name: str, version: int, outside: Scope, here: Scope) -> None:
        node, frame = here.frame.blocks[name][version]
        inner = Scope(replace(frame, blocks=here.frame.blocks), outside, here.told(outside), block=(name, version))
        told = tuple(inner.refined.items())
        self.visit(node, told, partial(self.walk, node.body, inner))

    def root(self, scope: Scope) -> Scope:
        """What a block sees of the template it stands in: its top level, not what is inside of loops."""
        found = scope
        for each in scope.chain():
            if each.frame is not scope.frame:
                break
            found = each
        return found

    def include(self, node: nodes.Include, scope: Scope) -> None:
        for target in targets_of(node):
            template = self.read.partials.get(target)
            if template is None:
                continue
            outside = scope if node.with_context else self.bare(template)
            seen = tuple((name, scope.known((name,)) or scope.assigned(name)) for name in self.loads(template))
            told = tuple(outside.told(outside).items())
            self.visit(template.tree, (seen, told), partial(self.template, template, outside))

    def import_(self, node: nodes.Import, scope: Scope) -> None:
        scope.assign(node.target, self.imported(node, scope))

    def from_import(self, node: nodes.FromImport, scope: Scope) -> None:
        module = self.imported(node, scope)
        for name in node.names:
            there, here = name if isinstance(name, tuple) else (name, name)
            found = [kind.scope.own.get(there, ANYTHING) for kind in module if isinstance(kind, Module)]
            scope.assign(here, either(*found) or ANYTHING)

    def imported(self, node: nodes.Import | nodes.FromImport, scope: Scope) -> Value:
        targets = [target for target in targets_of(node) if target in self.read.partials]
        if len(targets) != 1:
            return ANYTHING
        template = self.read.partials[targets[0]]
        modules: list[Kind] = []
        outside = scope if node.with_context else self.bare(template)
        self.visit(template.tree, object(), lambda: modules.append(Module(self.template(template, outside))))
        return tuple(modules) or ANYTHING

    def bare(self, template: "TemplateText") -> Scope:
        """What a template sees that is imported without context."""
        return Scope(Frame(template, {}, inputs=False))

    def visit(self, node: nodes.Node, key: object, walk: Callable[[], object]) -> None:
        """Go through something that may be reached many times, or from within itself."""
        before = self.visits.setdefault(node, set())
        if key in before or len(before) >= MOST_VISITS or self.depth >= DEEPEST_VISIT:
            return
        before.add(key)
        self.depth += 1
        walk()
        self.depth -= 1

    def loads(self, template: "TemplateText") -> tuple[str, ...]:
        """The names that a template, or what it pulls in, may ask for."""
        names: dict[str, None] = {}
        waiting, seen = [template], {template.file}
        while waiting:
            outline = self.outlines.of(waiting.pop())
            names.update(dict.fromkeys(outline.loads))
            for target in outline.targets:
                below = self.read.partials.get(target)
                if below is not None and below.file not in seen:
                    seen.add(below.file)
                    waiting.append(below)
        return tuple(names)

    def assign(self, target: nodes.Node, value: Value, scope: Scope, source: nodes.Node | None = None) -> None:
        if isinstance(target, nodes.Name):
            scope.assign(target.name, value)
            if source is not None and source in self.origins:
                scope.declare(target.name, self.origins[source])
        elif isinstance(target, nodes.Tuple | nodes.List):
            parts = self.unpacked(value, len(target.items))
            for each, part in zip(target.items, parts, strict=True):
                self.assign(each, part, scope)

    def unpacked(self, value: Value, count: int) -> list[Value]:
        self.touch(value)
        parts: list[list[Value]] = [[] for _ in range(count)]
        for kind in value:
            if isinstance(kind, Absent | Nothing):
                continue
            if isinstance(kind, Tuple):
                if len(kind.items) == count:
                    for part, item in zip(parts, kind.items, strict=True):
                        part.append(item)
                continue
            found = ANYTHING if isinstance(kind, Anything) else items(kind) or ANYTHING
            for part in parts:
                part.append(found)
        return [either(*part) or ANYTHING for part in parts]

    # Expressions.

    def infer(self, node: nodes.Node, scope: Scope) -> Value:
        infer = _EXPRESSIONS.get(type(node))
        if infer is None or self.nesting >= DEEPEST:
            return ANYTHING
        self.nesting += 1
        found = infer(self, node, scope)
        self.nesting -= 1
        return found

    def constant(self, node: nodes.Const, scope: Scope) -> Value:
        return of_constant(node.value)

    def text(self, node: nodes.TemplateData, scope: Scope) -> Value:
        return TEXT

    def name(self, node: nodes.Name, scope: Scope) -> Value:
        name = node.name
        self.used.add(name)
        if name in self.changed:
            return ANYTHING
        refined = scope.known((name,))
        if refined is not None and not any(type(kind) is Absent and kind.mistake.kind in UNSET for kind in refined):
            if scope.owner(name) is None and name in self.inputs and scope.frame.inputs:
                self.origins[node] = self.inputs[name].field
            return self.stamped(refined, name, name, node, scope)
        each: Scope | None = scope
        while each is not None:
            if name in each.own:
                if each.fields is not None and name in each.fields:
                    self.origins[node] = each.fields[name]
                return each.own[name]
            each = each.parent
        if scope.frame.inputs and name in self.inputs:
            member = self.inputs[name]
            self.origins[node] = member.field
            return self.declared(member, name, node, scope, not member.field.required and name not in self.given)
        if name == "super":
            self.super_(scope)
        if name in self.host.globals or name in SPECIAL:
            return ANYTHING
        if name in GLOBALS:
            return (Global(name),)
        kind: MistakeKind = "without-context" if name in self.inputs else "undeclared"
        if name == "loop":
            kind = "not-here"
        elif self.sets(name, scope):
            if self.is_cut or scope.is_late():
                return ANYTHING
            kind = "not-here"
        return (Absent(self.mistake(kind, name, node, name, scope)),)

    def sets(self, name: str, scope: Scope) -> bool:
        """Whether a template sets a name, before or after this place; for macros and blocks, any that they see."""
        seen = scope.chain() if scope.is_late() else [scope]
        return any(name in self.outlines.of(each.frame.template).sets for each in seen)

    def super_(self, scope: Scope) -> None:
        for each in scope.chain():
            if each.block is not None:
                name, version = each.block
                if version + 1 < len(each.frame.blocks[name]) and each.parent is not None:
                    self.render_block(name, version + 1, each.parent, scope)
                return

    def declared(self, member: Member, text: str, node: nodes.Node, scope: Scope, optional: bool) -> Value:
        """What a declared variable or attribute is where it is used."""
        value, declared = member.value, member.field
        if member.with_none:
            nothing = Nothing(self.mistake("none", text, node, declared.name, scope, declared))
            value = tuple(nothing if kind == Nothing() else kind for kind in value)
        if optional:
            value = (*value, Absent(self.mistake("left-out", text, node, declared.name, scope, declared)))
        return value

    def mistake(
        self,
        kind: MistakeKind,
        text: str,
        node: nodes.Node,
        name: str,
        scope: Scope,
        declared: Field | None = None,
        owner: tuple[Kind, ...] = (),
    ) -> Mistake:
        template = scope.frame.template
        return Mistake(kind, text, place(template, node), template, node, name, owner, declared)

    def stamped(self, value: Value, name: str, text: str, node: nodes.Node, scope: Scope) -> Value:
        """A value that was looked at before, as if its flaws were found here."""
        if not any(isinstance(kind, Absent | Nothing) for kind in value):
            return value
        made: list[Kind] = []
        for kind in value:
            if isinstance(kind, Absent | Nothing) and kind.mistake is not None and kind.mistake.name == name:
                found = kind.mistake
                mistake = self.mistake(found.kind, text, node, name, scope, found.declared, found.owner)
                kind = replace(kind, mistake=mistake)
            made.append(kind)
        return tuple(made)

    def getattr(self, node: nodes.Getattr, scope: Scope) -> Value:
        value = self.infer(node.node, scope)
        return attributes.attribute(self, value, node.attr, node, node.node, scope, item=False)

    def getitem(self, node: nodes.Getitem, scope: Scope) -> Value:
        value = self.infer(node.node, scope)
        match node.arg:
            case nodes.Const(value=str(name)):
                return attributes.attribute(self, value, name, node, node.node, scope, item=True)
            case nodes.Const(value=int(position)) if not isinstance(position, bool):
                path = path_of(node)
                refined = scope.known(path) if path is not None else None
                return refined if refined is not None else attributes.position(self, value, position)
            case nodes.Slice():
                for part in (node.arg.start, node.arg.stop, node.arg.step):
                    if part is not None:
                        self.touch(self.infer(part, scope))
                self.use(value)
                return either(*(_sliced(kind) for kind in value if not isinstance(kind, Absent | Nothing))) or ANYTHING
        self.touch(self.infer(node.arg, scope))
        self.touch(value)
        there = [kind for kind in value if not isinstance(kind, Absent | Nothing)]
        return either(*map(attributes.any_item, there)) or ANYTHING

    def call(self, node: nodes.Call, scope: Scope, caller: Macro | None = None) -> Value:
        match node.node:
            case nodes.Getattr(node=nodes.Name(name="self"), attr=block) if block in scope.frame.blocks:
                self.render_block(block, 0, self.root(scope), scope)
                return TEXT
        self.called[node.node] = None
        called = self.infer(node.node, scope)
        self.touch(called)
        positional = tuple(self.infer(argument, scope) for argument in node.args)
        named = {str(pair.key): self.infer(pair.value, scope) for pair in node.kwargs}
        for more in (node.dyn_args, node.dyn_kwargs):
            if more is not None:
                self.touch(self.infer(more, scope))
        complete = node.dyn_args is None and node.dyn_kwargs is None
        found: list[Value] = []
        for kind in called:
            if isinstance(kind, Method) and kind.name in ("get", "pop", "setdefault"):
                for key in positional[:1]:
                    self.touch(key)  # what is undefined has no hash
            match kind:
                case Method(Scalar()):
                    for argument in (*positional, *named.values()):
                        self.touch(argument)
                    found.append(result(kind.owner, kind.name, positional))
                case Method(Instance() as owner, "get") if node.args and isinstance(node.args[0], nodes.Const):
                    found.append(attributes.got(self, owner, node, positional, scope))
                case Method():
                    found.append(result(kind.owner, kind.name, positional))
                case Macro():
                    self.enter(kind, positional, named, complete, caller, scope)
                    found.append(TEXT)
                case Loop(loop, _item, outside):
                    again = self.items(positional[0], node.args[0], scope) if positional else ANYTHING
                    self.visit(loop, again, partial(self.iteration, loop, again, outside))
                    found.append(TEXT)
                case Global("range"):
                    for argument in positional:
                        self.touch(argument)
                    found.append((Sequence("list", INTEGER),))
                case Global("dict") if not positional and complete:
                    found.append((Record(tuple((name, held(value)) for name, value in named.items())),))
                case Absent() | Nothing():
                    pass
                case _:
                    found.append(ANYTHING)
        if caller is not None and not any(isinstance(kind, Macro) for kind in called):
            self.enter(caller, (), {}, False, None, scope)
        return either(*found) or ANYTHING

    def enter(
        self,
        macro: Macro,
        positional: tuple[Value, ...],
        named: dict[str, Value],
        complete: bool,
        caller: Macro | None,
        here: Scope,
    ) -> None:
        """Go through the body of a macro, or of a call block, with these arguments."""
        outside: Scope = macro.scope
        inner = outside.inside(here.told(outside))
        inner.late = True
        inner.own.update(dict.fromkeys([each.name for each in macro.node.args], ANYTHING))  # seen by all defaults
        defaults = dict(zip([each.name for each in macro.node.args[::-1]], macro.node.defaults[::-1], strict=False))
        if isinstance(macro.node, nodes.Macro):
            inner.own.update({"caller": (caller,) if caller else ANYTHING, "varargs": ANYTHING, "kwargs": ANYTHING})
        for position, parameter in enumerate(macro.node.args):
            if position < len(positional):
                value = positional[position]
            elif parameter.name in named:
                value = named[parameter.name]
            elif not complete:
                value = ANYTHING
            elif parameter.name in defaults:
                value = self.infer(defaults[parameter.name], inner)
            elif parameter.name == "caller":
                continue
            else:
                value = ANYTHING
            inner.assign(parameter.name, value)
        key = (tuple(inner.own.items()), tuple(inner.refined.items()))
        self.visit(macro.node, key, partial(self.walk, macro.node.body, inner))

    def filter(self, node: nodes.Filter, scope: Scope) -> Value:
        value = TEXT if node.node is None else self.infer(node.node, scope)
        positional = tuple((argument, self.infer(argument, scope)) for argument in node.args)
        named = {str(pair.key): (pair.value, self.infer(pair.value, scope)) for pair in node.kwargs}
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            return ANYTHING
        return filtered(Filtering(node.name, positional, named, node, node.node or node), value, self, scope)

    def list_(self, node: nodes.List, scope: Scope) -> Value:
        found = tuple(held(self.infer(item, scope)) for item in node.items)
        if self.changed and node not in self.unnamed:
            return (Sequence("list", ANYTHING),)
        return (Tuple(found, kind="list"),)

    def tuple_(self, node: nodes.Tuple, scope: Scope) -> Value:
        return (Tuple(tuple(held(self.infer(item, scope)) for item in node.items)),)

    def dict_(self, node: nodes.Dict, scope: Scope) -> Value:
        keys = [pair.key for pair in node.items]
        values = [held(self.infer(pair.value, scope)) for pair in node.items]
        if keys and all(isinstance(key, nodes.Const) and isinstance(key.value, str) for key in keys):
            return (Record(tuple((key.as_const(), value) for key, value in zip(keys, values, strict=True))),)
        for key in keys:
            self.touch(self.infer(key, scope))
        if self.changed and node not in self.unnamed:
            return (Mapping(ANYTHING, ANYTHING),)
        return (Mapping(ANYTHING if keys else (), either(*values)),)

    def concatenation(self, node: nodes.Concat, scope: Scope) -> Value:
        for each in node.nodes:
            self.use(self.infer(each, scope))
        return TEXT

    def operation(self, node: nodes.BinExpr, scope: Scope) -> Value:
        left, right = self.infer(node.left, scope), self.infer(node.right, scope)
        self.use(left)
        self.use(right)
        if isinstance(node, nodes.Mod) and left == TEXT:
            return TEXT
        if all(isinstance(kind, Scalar) and kind.kind in ("int", "float", "bool") for kind in (*left, *right)):
            whole = all(kind != Scalar("float") for kind in (*left, *right))
            return INTEGER if whole and isinstance(node, nodes.Add | nodes.Sub | nodes.Mul) else NUMBER
        if isinstance(node, nodes.Add):
            return _added(left, right)
        return ANYTHING

    def sign(self, node: nodes.UnaryExpr, scope: Scope) -> Value:
        value = self.infer(node.node, scope)
        self.use(value)
        return value if value in (INTEGER, NUMBER) else ANYTHING

    def choice(self, node: nodes.CondExpr, scope: Scope) -> Value:
        _value, true, false = conditions.evaluate(self, node.test, scope)
        if conditions.always(node.test) is False:
            return self.infer(node.expr2, scope) if node.expr2 is not None else TEXT
        first = self.infer(node.expr1, scope.inside(true))
        # Without `else` it is undefined, of the lenient kind.
        return either(first, self.infer(node.expr2, scope.inside(false))) if node.expr2 is not None else first

    def logic(self, node: nodes.Node, scope: Scope) -> Value:
        return conditions.evaluate(self, node, scope, truth=False)[0]

    # What touches values.

    def touch(self, value: Value) -> None:
        """A use that nothing undefined survives, and that None does."""
        for kind in value:
            if type(kind) is Absent:
                self.report(kind.mistake)

    def use(self, value: Value) -> None:
        """A use that neither something undefined nor None is meant for."""
        self.touch(value)
        for kind in value:
            if type(kind) is Nothing and kind.mistake is not None:
                self.report(kind.mistake)

    def items(self, value: Value, node: nodes.Node, scope: Scope) -> Value:
        """What a loop over a value finds."""
        self.use(value)
        kinds = [kind for kind in value if not isinstance(kind, Absent | Nothing)]
        if kinds and all(items(kind) is None for kind in kinds):
            found = NotIterable(scope.frame.template, node, text_of(node) or "", tuple(kinds), self.origins.get(node))
            self.found.setdefault(("not-iterable", node), found)
            return ANYTHING
        return self.items_quietly(value)

    def items_quietly(self, value: Value) -> Value:
        found = [items(kind) or () for kind in value if not isinstance(kind, Absent | Nothing)]
        return either(*found) or ANYTHING

    def ask(self, value: Value) -> None:
        """A use that is meant for undefined values too. A package's own template asks for none but declared ones."""
        for kind in value:
            if type(kind) is Absent and kind.mistake.kind == "undeclared" and kind.mistake.template.name is None:
                self.report(replace(kind.mistake, kind="asked-for"))

    def report(self, mistake: Mistake) -> None:
        if mistake.kind == "none" and ("left-out", mistake.node) in self.found:
            return  # the guard against one is one against both
        self.found.setdefault((mistake.kind, mistake.node), mistake)


def _sliced(kind: Kind) -> Value:
    match kind:
        case Scalar(kind="str") | Sequence():
            return (kind,)
        case Tuple():
            return (Sequence(kind.kind, some(items(kind) or ANYTHING)),)
    return ANYTHING


def _added(left: Value, right: Value) -> Value:
    if left == right == TEXT:
        return TEXT
    kinds = [kind for kind in (*left, *right) if not isinstance(kind, Absent | Nothing)]
    lists = [kind for kind in kinds if isinstance(kind, Sequence | Tuple)]
    if lists and len(lists) == len(kinds):
        return (Sequence(lists[0].kind, either(*(items(kind) or () for kind in lists))),)
    return ANYTHING


_STATEMENTS: dict[type[nodes.Node], Callable[[Inference, Any, Scope], bool | None]] = {
    nodes.Assign: Inference.set_,
    nodes.AssignBlock: Inference.set_block,
    nodes.Block: Inference.block,
    nodes.Break: Inference.leave,
    nodes.CallBlock: Inference.call_block,
    nodes.Continue: Inference.leave,
    nodes.ExprStmt: Inference.do,
    nodes.Extends: Inference.extend_later,
    nodes.FilterBlock: Inference.filter_block,
    nodes.For: Inference.loop,
    nodes.FromImport: Inference.from_import,
    nodes.If: Inference.branches,
    nodes.Import: Inference.import_,
    nodes.Include: Inference.include,
    nodes.Macro: Inference.macro,
    nodes.Output: Inference.output,
    nodes.Scope: Inference.scoped,
    nodes.ScopedEvalContextModifier: Inference.scoped,
    nodes.With: Inference.with_,
}
_EXPRESSIONS: dict[type[nodes.Node], Callable[[Inference, Any, Scope], Value]] = {
    nodes.And: Inference.logic,
    nodes.Call: Inference.call,
    nodes.Compare: Inference.logic,
    nodes.Concat: Inference.concatenation,
    nodes.CondExpr: Inference.choice,
    nodes.Const: Inference.constant,
    nodes.Dict: Inference.dict_,
    nodes.Filter: Inference.filter,
    nodes.Getattr: Inference.getattr,
    nodes.Getitem: Inference.getitem,
    nodes.List: Inference.list_,
    nodes.Name: Inference.name,
    nodes.Neg: Inference.sign,
    nodes.Not: Inference.logic,
    nodes.Or: Inference.logic,
    nodes.Pos: Inference.sign,
    nodes.TemplateData: Inference.text,
    nodes.Test: Inference.logic,
    nodes.Tuple: Inference.tuple_,
    **dict.fromkeys(
        [nodes.Add, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Mul, nodes.Pow, nodes.Sub], Inference.operation
    ),
}
