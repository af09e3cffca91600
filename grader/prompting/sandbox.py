"""The sandbox in which templates run: nothing is reached but what it was given, and nothing grows or runs without end.

Jinja's own sandbox keeps templates from the interpreter. It stops neither `'a' * 10**8` nor a filter that pads to a
width nor a loop in a loop; here every value, all that is written and the time have limits (RELIABILITY 17).
Not for what a template gets to see: that is `render`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import CodeType
from typing import Any

from jinja2 import Environment, StrictUndefined, TemplateNotFound, nodes
from jinja2.bccache import Bucket, BytecodeCache
from jinja2.exceptions import SecurityError
from jinja2.loaders import FileSystemLoader
from jinja2.runtime import BlockReference, Context, LoopContext, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from grader.prompting.template_filters import FILTERS, check_size, too_large

MAX_SECTION_CHARACTERS = 2_000_000
"""No judge reads more; a template that renders to more than this is at fault."""

MAX_SECONDS = 5.0
"""One section of one prompt takes milliseconds."""

_MAX_WRITTEN = 4 * MAX_SECTION_CHARACTERS  # what a macro writes is written again where it is called
_MAX_SOURCE_CHARACTERS = 200_000
_MAX_BITS = 4_096
_SUFFIXES = (".j2", ".jinja", ".jinja2")
_OPERATORS = frozenset({"+", "-", "*", "/", "//", "%", "**"})
_METHODS = frozenset(
    "capitalize casefold count endswith find get index isalpha isdigit isnumeric isspace items keys lower lstrip "
    "removeprefix removesuffix rsplit rstrip split splitlines startswith strip title upper values".split()
)


class TemplateFolders(FileSystemLoader):
    """Loads the template `name`, and what it includes: templates of the same folders, and no other file.

    A link out of the folder and a file without a template's suffix do not exist, so that no rubric from elsewhere
    can have a key file that lies beside it sent to a provider.
    """

    def __init__(self, name: str, folders: Iterable[Path]) -> None:
        super().__init__(list(folders))
        self._name = name

    def get_source(self, environment: Environment, template: str) -> Any:
        """Return what Jinja wants of a template: its source, its path, and whether it is still the same."""
        if template != self._name and (not template.endswith(_SUFFIXES) or Path(template).name.startswith(".")):
            raise TemplateNotFound(template)
        source, path, is_same = super().get_source(environment, template)
        if not any(Path(path).resolve().is_relative_to(Path(folder).resolve()) for folder in self.searchpath):
            raise TemplateNotFound(template)
        return source, path, is_same


class _CompiledOnce(BytecodeCache):
    """Keeps what the latest text of each template was compiled to, for every sandbox of the process."""

    def __init__(self) -> None:
        self._compiled: dict[str, tuple[str, CodeType]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Put into `bucket` what its template was compiled to, if its text is still the same."""
        checksum, code = self._compiled.get(bucket.key, ("", None))
        bucket.code = code if checksum == bucket.checksum else None

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what `bucket` holds."""
        if bucket.code is not None:
            self._compiled[bucket.key] = bucket.checksum, bucket.code


_COMPILED = _CompiledOnce()


class TemplateSandbox(ImmutableSandboxedEnvironment):
    """An environment whose templates get plain data, few filters, and limits; one section is rendered at a time."""

    intercepted_binops = _OPERATORS

    def __init__(self, loader: TemplateFolders) -> None:
        super().__init__(
            loader=loader,
            bytecode_cache=_COMPILED,
            undefined=StrictUndefined,
            finalize=self._written,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,  # no look at the file for each prompt
            autoescape=False,  # prompts are plain text; data is neutralised in data_blocks
        )
        self.globals = {"range": self.globals["range"]}
        self.filters = {**FILTERS, "_turns": self._turns}
        self.concat = self._joined  # type: ignore[method-assign]
        self.start()

    def start(self) -> None:
        """Begin to count anew: a section is about to be rendered."""
        self._deadline = time.monotonic() + MAX_SECONDS
        self._written_count = 0

    def is_safe_callable(self, obj: Any) -> bool:
        """Return whether a template may call `obj`: macros, blocks, loops, `range`, and methods that make little."""
        owner = getattr(obj, "__self__", None)
        if isinstance(owner, str | Mapping | list | tuple):
            return getattr(obj, "__name__", "") in _METHODS
        is_ours = any(obj is known for known in self.globals.values())
        return is_ours or isinstance(owner, LoopContext) or isinstance(obj, Macro | LoopContext | BlockReference)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call what a template calls."""
        self._check_time()
        if isinstance(obj, Undefined):
            str(obj)  # raises, and says what there is not
        if not self.is_safe_callable(obj):
            raise SecurityError(f"“{getattr(obj, '__name__', type(obj).__name__)}” cannot be called in a template")
        return check_size(super().call(context, obj, *args, **kwargs))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Calculate what stands on both sides of an operator, unless the result would be too large."""
        self._check_time()
        _check_operands(operator, left, right)
        return check_size(super().call_binop(context, operator, left, right))

    def join_path(self, template: str, parent: str) -> str:
        """Return which template an include means; called for each, so that those that include themselves end."""
        self._check_time()
        return template

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Return the template's tree, with a limit built into all that can grow without an operator or a call."""
        if len(source) > _MAX_SOURCE_CHARACTERS:
            raise too_large("the template", _MAX_SOURCE_CHARACTERS)
        tree: nodes.Template = _LimitsBuiltIn().visit(super()._parse(source, name, filename))
        return tree.set_environment(self)  # type: ignore[return-value]

    def _turns(self, values: Iterable[Any]) -> Iterator[Any]:
        for value in values:
            self._check_time()
            yield value

    def _written(self, value: Any) -> str:
        """Return the text of what an expression writes."""
        if isinstance(value, list | tuple | Mapping):
            raise SecurityError("a list cannot be written as it is; loop over it, or use “|join(', ')”")
        text = value if isinstance(value, str) else str(value)
        self._written_count += len(text)
        if self._written_count > _MAX_WRITTEN:
            raise too_large("what the template writes", MAX_SECTION_CHARACTERS)
        return text

    def _joined(self, pieces: Iterable[str]) -> str:
        """Return what a macro or a `set` block has written, as one text."""
        kept = list(pieces)
        if sum(map(len, kept)) > MAX_SECTION_CHARACTERS:
            raise too_large("what the template writes", MAX_SECTION_CHARACTERS)
        return "".join(kept)

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise SecurityError(f"the template takes more than {MAX_SECONDS:g} seconds")


class _LimitsBuiltIn(NodeTransformer):
    """Puts filters of ours where a template loops, joins with `~`, or makes a list."""

    def visit_For(self, node: nodes.For) -> nodes.Node:
        self.generic_visit(node)
        node.iter = _filtered(node.iter, "_turns")
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), "join")

    def visit_List(self, node: nodes.List) -> nodes.Node:
        self.generic_visit(node)
        return _filtered(node, "_sized")

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:
        self.generic_visit(node)
        return _filtered(node, "_sized")

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:
        self.generic_visit(node)
        return _filtered(node, "_sized") if node.ctx == "load" else node


def _filtered(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def _check_operands(operator: str, left: Any, right: Any) -> None:
    """Refuse what would be too large before it is made."""
    if operator == "%" and isinstance(left, str):
        raise SecurityError("“%” does not fill texts in a template; put them together with “~”")
    if operator == "*":
        for text, count in ((left, right), (right, left)):
            if isinstance(count, int) and isinstance(text, str | list | tuple):
                check_size(text, times=count)
    if operator == "**" and isinstance(left, int) and isinstance(right, int) and left.bit_length() * right > _MAX_BITS:
        raise SecurityError("the number is too large for a template")
