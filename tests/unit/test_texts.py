"""What a person reads: marked, translated into every language, and in the field's own words."""

from __future__ import annotations

import ast
import gettext
import os
import re
import string
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import polib
import pytest

from desktop_app import resources, texts
from desktop_app.texts import N_, _, ngettext, pgettext
from tools import collect_texts

TOP = Path(__file__).resolve().parents[2]
PACKAGE = TOP / "desktop_app"

# Packages and files all of whose texts are marked, as paths below desktop_app: "ui/models", "cli/record.py".
FINISHED: list[str] = [
    "app",
    "cli",
    "messages",
    "measure",
    "training",
    "export/formats.py",
    "ui/current.py",
    "ui/export",
    "ui/mailbox.py",
    "ui/models",
    "ui/player",
    "ui/recording",
    "ui/settings",
    "ui/shell",
    "ui/speakers",
    "ui/transcript",
    "ui/versions",
    "ui/widgets",
]

# Calls whose texts a person sees: in each the literals among all positional arguments, and among these keywords.
SHOWN_BY_POSITION = {
    # Qt
    *(
        "QAction",
        "QCheckBox",
        "QCommandLinkButton",
        "QGroupBox",
        "QLabel",
        "QLineEdit",
        "QMenu",
        "QMessageBox",
        "QPushButton",
    ),
    *("QRadioButton", "QToolButton", "addAction", "addButton", "addItem", "addItems", "addMenu", "addRow", "addTab"),
    *("critical", "getExistingDirectory", "getOpenFileName", "getOpenFileNames", "getSaveFileName", "getText"),
    *(
        "insertItem",
        "insertPlainText",
        "question",
        "setAccessibleDescription",
        "setAccessibleName",
        "setApplicationDisplayName",
    ),
    *("setDetailedText", "setHeaderLabels", "setInformativeText", "setLabelText", "setPlaceholderText", "setPlainText"),
    *("setPrefix", "setStatusTip", "setSuffix", "setTabText", "setText", "setTitle", "setToolTip", "setWhatsThis"),
    *("setWindowTitle", "showMessage", "showText"),
    # the terminal
    *(
        "Panel",
        "Prompt",
        "Table",
        "Text",
        "add_column",
        "add_row",
        "add_task",
        "ask",
        "input",
        "log_line",
        "print",
        "rule",
        "write",
    ),
    *("ArgumentTypeError", "error"),
}
SHOWN_BY_KEYWORD = {
    *("caption", "description", "epilog", "header", "help", "label", "metavar", "placeholder", "text", "tip", "title"),
    *("tool_tip", "tooltip", "usage", "accessible_name"),
}

# Calls whose literals no person sees, though they may look like sentences.
NOT_SHOWN = {
    *("AssertionError", "KeyError", "NotImplementedError", "RuntimeError", "TypeError", "ValueError", "cast"),
    *("compile", "critical", "debug", "exception", "info", "log", "warning"),
    *("execute", "executemany", "setObjectName", "setProperty", "setStyleSheet", "strftime", "split"),
    *("field", "getattr", "horizontalAdvance", "TypeVar", "joinpath"),
}
LETTERS = re.compile(r"[^\W\d_]{2}")
MARKUP = re.compile(r"<[^<>]*>")
SENTENCE = re.compile(r"[^\W\d_]{2,}[,;:.]? +[^\W\d_]+")

# Terms of the old dialect, and the word that the field uses.
OLD_TERMS = {
    r"\bears?\b|\bwhat hears\b": "encoder",
    r"\b(mak\w+|made|stay\w*) (the \w+ )?small\b|\bsmall weights\b": "quantise, int8",
    r"\bfills? (it|them) up\b": "padding",
    r"\bgo(es|ing)? on\b": "resume, continue",
    r"\bfetch\w*\b|^Get\b": "download",
    r"\b(nobody|no one|somebody else) (said|says|known)\b|\bsaid by\b|\bsays nothing\b": "unknown speaker",
    r"\bby itself\b": "automatic",
    r"\bwrit\w+ (along|ahead|down|the (text|rest))\b": "transcribe, draft",
    r"^In work\b": "in progress",
    r"\bnear-ties?\b": "re-checked tokens",
    r"\bstruck out\b|\bstands? (below|behind|there|in the)\b": "struck through; follows",
    r"\bher(e|ein) is\b|\bis here\b|\bcomes? in\b": "downloaded, added",
    r"\bleft? out\b|\bleave out\b|\bleaves out\b": "removed, skipped, paused",
    r"\bdone again\b": "redone",
    r"\btokens a pass\b": "tokens per pass",
    r"\bhear (ten|\d+) seconds\b": "play a sample",
    r"\bended from outside\b": "stopped",
    r"\bfor programs\b|\bthis list\b": "JSON; keyboard shortcuts",
    r"\bof the draft was right\b": "draft tokens accepted",
    r"\bpair that cannot work\b|\bwork together\b": "compatible",
    r"\b(its|the) turn comes\b|\bwaits until\b": "queued",
}

# Words of the old dialect that no name in the code of these folders holds, and the word that the field uses.
OLD_NAMES = {
    r"inks?": "final",
    r"ears?|hear|hears|heard|hearing|unheard": "encoder, encoded; feed, received",
    r"said|saying|teller|tellers": "message, text; listener, reporter",
    r"shrink|shrunk": "quantise",
    r"tapes?": "recording file",
    r"grey": "draft",
}
PLAIN_ROOMS = [
    "app",
    "audio",
    "checkpoints",
    "cli",
    "decoding",
    "engine",
    "library",
    "measure",
    "runtimes",
    "speakers",
    "training",
    "transcript",
    "ui",
]


def names(source: str) -> Iterator[tuple[int, str]]:
    """Every name that a source defines or uses, with its line; of an import the parts of the module's path."""
    for node in ast.walk(ast.parse(source)):
        for field in ("name", "id", "attr", "arg", "asname", "module"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield getattr(node, "lineno", 0), name


def old_names(source: str) -> list[tuple[int, str, str]]:
    """The names in a source that hold a word of the old dialect: line, name and the better word."""
    found = []
    for line, name in names(source):
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)  # of snake_case, CamelCase and CAPITALS
        found += [
            (line, name, better)
            for old, better in OLD_NAMES.items()
            if any(re.fullmatch(old, word, re.IGNORECASE) for word in words)
        ]
    return found


def sources(*rooms: str) -> Iterator[Path]:
    for room in rooms:
        place = PACKAGE / room
        yield from [place] if place.suffix == ".py" else sorted(place.rglob("*.py"))


# What is in the translations


@cache
def all_messages() -> tuple[collect_texts.Message, ...]:
    return tuple(collect_texts.messages())


def values_of(text: str) -> set[str]:
    """The values of a message in braces, and those that argparse fills in: %(default)s, %r."""
    braces = {name for _text, name, _format, _conversion in string.Formatter().parse(text) if name is not None}
    return braces | set(re.findall(r"%(?:\(\w+\))?[rs]", text))


def faults(file: polib.POFile, found: polib.POFile) -> list[str]:
    """What is wrong with a language's file: a missing, unsure or broken translation, another value, a missing form."""
    rule = re.match(r"nplurals=(\d+);\s*plural=(.+?);?$", file.metadata.get("Plural-Forms", ""))
    if rule is None:
        return ["the header has no Plural-Forms"]
    index = gettext.c2py(rule[2])
    forms = {index(n) for n in (*range(1000), 10**6)}
    if forms != set(range(int(rule[1]))):
        return [f"the Plural-Forms speak of {rule[1]} forms and use {len(forms)}"]
    translated = {(entry.msgid, entry.msgctxt): entry for entry in file if not entry.obsolete}
    wrong = [f"no message of the program (run `make texts`): {one[0]!r}" for one in translated]
    for message in found:
        entry = translated.get((message.msgid, message.msgctxt))
        if entry is None:
            wrong.append(f"missing (run `make texts`): {message.msgid!r}")
            continue
        wrong.remove(f"no message of the program (run `make texts`): {message.msgid!r}")
        plural = bool(message.msgid_plural)
        given = {int(form): text for form, text in entry.msgstr_plural.items()} if plural else {0: entry.msgstr}
        if entry.fuzzy or set(given) != (forms if plural else {0}) or not all(given.values()):
            wrong.append(f"not translated: {message.msgid!r}")
            continue
        wanted = values_of(message.msgid_plural or message.msgid)
        for form, text in given.items():
            singular = plural and sum(index(n) == form for n in range(1000)) == 1  # "one speaker" needs no number
            try:
                missing = wanted - values_of(text) - ({"n"} if singular else set())
                added = values_of(text) - wanted
            except ValueError as error:
                wrong.append(f"{error}: {text!r}")
                continue
            if missing or added:
                wrong.append(f"other values than {message.msgid!r}: {text!r}")
    return wrong


@pytest.mark.parametrize("code", texts.languages()[1:] or [texts.ENGLISH])
def test_every_message_is_translated(code: str) -> None:
    found = collect_texts.catalogue(all_messages())
    if code != texts.ENGLISH:
        file = polib.pofile(str(resources.path("resources", "translations", f"{code}.po")), encoding="utf-8")
        wrong = sorted(faults(file, found), key=lambda one: one.startswith("not translated"))  # what is broken first
        if wrong:
            pytest.fail("\n".join((f"{code}.po: {len(wrong)} faults", *wrong)), pytrace=False)
        assert file.metadata["Language"] == code


def test_english_fits_its_own_values() -> None:
    """The forms of a plural use the same values; only the number itself may be missing from the singular."""
    for one in all_messages():
        values = values_of(one.message)
        if one.plural:
            assert values | {"n"} == values_of(one.plural) | {"n"}, one


# What is marked


def literals(node: ast.expr) -> Iterator[ast.expr]:
    """The literal texts that an expression may give: also through `if`, `or`, `+`, `%`, `.format()` and f-strings."""
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr():
            yield node
        case ast.IfExp():
            yield from literals(node.body)
            yield from literals(node.orelse)
        case ast.BoolOp():
            for one in node.values:
                yield from literals(one)
        case ast.BinOp():
            yield from literals(node.left)
            yield from literals(node.right)
        case ast.List() | ast.Tuple():
            for one in node.elts:
                yield from literals(one)
        case ast.Starred():
            yield from literals(node.value)
        case ast.Call(func=ast.Attribute(attr="format" | "join" | "upper" | "capitalize")):
            yield from literals(node.func.value)


def text_of(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(one.value) if isinstance(one, ast.Constant) else " " for one in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else ""


def unmarked(source: str) -> Iterator[tuple[int, str]]:
    """Every literal that a person sees and no translation knows, with its line: what is given to a call that shows it,
    and whatever reads like a sentence."""
    tree = ast.parse(source)
    passed: set[int] = set()  # the nodes that no person sees, and those told already
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node
        ):
            passed.add(id(node.body[0].value))  # type: ignore[attr-defined]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            passed.add(id(node.value))
        elif isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            passed |= {id(one) for one in ast.walk(node.annotation)}
        elif isinstance(node, ast.Assert) and node.msg is not None:
            passed |= {id(one) for one in ast.walk(node.msg)}
        elif isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if collect_texts.mark_of(node):
                passed |= {id(one) for argument in node.args for one in ast.walk(argument)}
                continue
            given = [*node.args] if name in SHOWN_BY_POSITION else []
            given += [one.value for one in node.keywords if one.arg in SHOWN_BY_KEYWORD]
            for literal in (one for argument in given for one in literals(argument)):
                if id(literal) not in passed and LETTERS.search(text_of(literal)):
                    yield literal.lineno, text_of(literal)
                passed |= {id(one) for one in ast.walk(literal)}
            if name in NOT_SHOWN:
                passed |= {id(one) for argument in node.args for one in ast.walk(argument)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant | ast.JoinedStr) or id(node) in passed:
            continue
        if isinstance(node, ast.JoinedStr):
            passed |= {id(part) for part in node.values}  # looked at here, as a whole
        if SENTENCE.search(MARKUP.sub("", text_of(node))):
            yield node.lineno, text_of(node)
            passed |= {id(one) for one in ast.walk(node)}


def test_what_a_person_sees_is_marked() -> None:
    assert not [
        f"{file.relative_to(PACKAGE)}:{line}: {text!r}"
        for file in sources(*FINISHED)
        for line, text in unmarked(file.read_text(encoding="utf-8"))
    ]


def test_the_finished_packages_are_there() -> None:
    assert all((PACKAGE / one).exists() for one in FINISHED)


@pytest.mark.parametrize(
    "line",
    [
        'label.setText("Save")',
        'QLabel("Save" if new else _("Open"))',
        'button.setToolTip(f"Play {name}")',
        'parser.add_argument("--to", help="where to write")',
        'console.print("Written to " + name)',
        'STATES = {"queued": "Waiting in the queue"}',
        'menu.addAction(icon, "Open")',
        'raise SomeProblem("This file is empty.")',
    ],
)
def test_a_text_without_a_mark_is_found(line: str) -> None:
    assert list(unmarked(line))


@pytest.mark.parametrize(
    "line",
    [
        '"""Says what it is for."""',
        'label.setText(_("Save"))',
        'parser.add_argument("--to", help=_("where to write"))',
        'raise ValueError("no such row here")',
        'log.info("the engine has begun")',
        'label.setText("–")',
        "html = f'<td style=\"color: {ink}\">{text}</td>'",
        'STATES = {"queued": N_("Waiting in the queue")}',
    ],
)
def test_a_marked_text_is_accepted(line: str) -> None:
    assert not list(unmarked(line))


# In which words


def test_no_message_speaks_the_old_dialect() -> None:
    found = [
        f"{one.file}:{one.line}: {text!r}: say {better!r}"
        for one in all_messages()
        for text in filter(None, (one.message, one.plural))
        for old, better in OLD_TERMS.items()
        if re.search(old, text, re.IGNORECASE)
    ]
    assert not found


# The functions


GERMAN = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "Save"
msgstr "Sichern"

msgctxt "a button"
msgid "Open"
msgstr "Öffnen"

msgid "{name} is installed."
msgstr "{name} ist installiert."

msgid "{done} of {all}"
msgstr "{done} von {alle}"

msgid "{n} speaker"
msgid_plural "{n} speakers"
msgstr[0] "{n} Sprecher"
msgstr[1] "{n} Sprecherinnen"

#, fuzzy
msgid "Close"
msgstr "Auf"
"""


@pytest.fixture
def translations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of translations with German in it; English again afterwards."""
    folder = tmp_path / "resources" / "translations"
    folder.mkdir(parents=True)
    (folder / "de.po").write_text(GERMAN, encoding="utf-8")
    monkeypatch.setattr(resources, "_root", lambda: tmp_path)
    texts._read.cache_clear()
    yield folder
    texts.use("en")
    texts._read.cache_clear()


WAITING = N_("Save")


def test_the_language_changes_while_running(translations: Path) -> None:
    assert texts.languages() == ["en", "de"]
    assert (_("Save"), _(WAITING), texts.current()) == ("Save", "Save", "en")
    assert [ngettext("{n} speaker", "{n} speakers", n) for n in (1, 2)] == ["1 speaker", "2 speakers"]
    texts.use("de")
    assert (_("Save"), _(WAITING), texts.current()) == ("Sichern", "Sichern", "de")
    assert (_("{name} is installed.", name="base"), _("Open"), _("")) == ("base ist installiert.", "Open", "")
    assert pgettext("a button", "Open") == "Öffnen"
    assert [ngettext("{n} speaker", "{n} speakers", n) for n in (1, 2)] == ["1 Sprecher", "2 Sprecherinnen"]
    assert ngettext("{n} speaker", "{n} speakers", 1200, n="1.200") == "1.200 Sprecherinnen"
    texts.use("xx")
    assert (_("Save"), texts.current()) == ("Save", "en")


def test_what_is_broken_or_missing_is_english(translations: Path) -> None:
    texts.use("de")
    assert _("{done} of {all}", done=1, all=2) == "1 of 2"  # the translation names another value
    assert _("Close") == "Close"  # its translator was not sure
    assert _("Quit") == "Quit"
    for name, content in [("aa", "no po file"), ("bb", GERMAN.replace("(n != 1)", "n.__class__")), ("cc", "\udcff")]:
        (translations / f"{name}.po").write_text(content, encoding="utf-8", errors="surrogateescape")
        texts.use(name)
        assert (_("Save"), texts.current()) == ("Save", name)


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ({"LANG": "fr_FR.UTF-8", "LANGUAGE": "fr:de"}, "de"),
        ({"LANG": "C", "LANGUAGE": "de"}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "pt_BR.UTF-8"}, "pt_BR"),
        ({"LANG": "fr_FR.UTF-8", "GALLEY_LANGUAGE": "de"}, "de"),
    ],
)
def test_the_systems_language(
    translations: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], code: str
) -> None:
    (translations / "pt_BR.po").write_text(GERMAN, encoding="utf-8")
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE", "GALLEY_LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    texts.use_preferred()
    assert texts.current() == code
    if "GALLEY_LANGUAGE" not in variables:
        texts.use_preferred("de")
    assert texts.current() == "de" or code == "en"


def test_english_reads_no_file() -> None:
    """The price of translations is paid by who uses one."""
    program = "import sys, desktop_app.texts as t; t.use_preferred(); print(t._('Save'), 'polib' in sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "GALLEY_LANGUAGE": "en"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert found.stdout.split() == ["Save", "False"]


# The tool that collects


def test_collecting_keeps_translations(tmp_path: Path) -> None:
    source, file = tmp_path / "page.py", tmp_path / "de.po"

    def collect(text: str) -> polib.POFile:
        source.write_text(text, encoding="utf-8")
        collect_texts.update(file, collect_texts.catalogue(collect_texts.messages([source], tmp_path)))
        return polib.pofile(str(file), encoding="utf-8")

    made = collect('_("b"); _("a {x}", x=1); ngettext("{n} c", "{n} cs", 2); pgettext("here", "b"); N_("a {x}")')
    assert [(one.msgid, one.msgctxt) for one in made] == [("a {x}", None), ("b", None), ("b", "here"), ("{n} c", None)]
    first = file.read_bytes()
    collect(source.read_text(encoding="utf-8"))
    assert file.read_bytes() == first
    made[0].msgstr, made[1].msgstr = "A {x}", "B"
    made.save(str(file))
    later = collect('_("a {x}", x=1); _("new")')
    assert [(one.msgid, one.msgstr) for one in later if not one.obsolete] == [("a {x}", "A {x}"), ("new", "")]
    assert {one.msgid for one in later.obsolete_entries()} == {"b", "{n} c"}
    assert collect('_("b")')[0].msgstr == "B"  # what comes back has its translation again


@pytest.mark.parametrize(
    "call", ['_(f"a {x}")', '_("a" + x)', '_("a {}".format(x))', 'ngettext("a", more, 2)', "N_(x)"]
)
def test_a_message_made_while_running_is_refused(call: str, tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text(call, encoding="utf-8")
    with pytest.raises(ValueError, match=r"page\.py:1: .* needs literal texts"):
        list(collect_texts.messages([tmp_path / "page.py"], tmp_path))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('msgstr "Sichern"', 'msgstr ""', "not translated: 'Save'"),
        ('"{done} von {alle}"', '"{done} von"', "other values"),
        ('msgstr[1] "{n} Sprecherinnen"', "", "not translated: '{n} speaker'"),
        ("#, fuzzy\n", "#, fuzzy\n", "not translated: 'Close'"),
        ("nplurals=2", "nplurals=3", "the Plural-Forms"),
        ('msgid "Save"', 'msgid "Store"', "no message of the program"),
        ('"{name} ist', '"{name ist', "expected '}'"),
    ],
)
def test_a_faulty_translation_is_found(old: str, new: str, fault: str, tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text(
        '_("Save"); pgettext("a button", "Open"); _("{name} is installed.", name=1); _("{done} of {all}");'
        '_("Close"); ngettext("{n} speaker", "{n} speakers", 2)',
        encoding="utf-8",
    )
    found = collect_texts.catalogue(collect_texts.messages([tmp_path / "page.py"], tmp_path))
    whole = GERMAN.replace("{alle}", "{all}").replace("#, fuzzy\n", "")
    assert not faults(polib.pofile(whole), found)
    broken = GERMAN if old == new else whole.replace(old.replace("{alle}", "{all}"), new)
    assert any(fault in one for one in faults(polib.pofile(broken), found)), faults(polib.pofile(broken), found)


@pytest.mark.parametrize("room", [*(f"desktop_app/{room}" for room in PLAIN_ROOMS), "benchmarks"])
def test_no_name_is_in_the_old_dialect(room: str) -> None:
    """A name is the word of the field, so that who knows Whisper can read the code."""
    found = []
    for file in sorted((TOP / room).rglob("*.py")):
        place = file.relative_to(TOP)
        found += [f"{place}: {word} is a word of the old dialect" for _, word, _ in old_names(f"{file.stem}: int")]
        found += [
            f"{place}:{line}: {name}, better: {better}"
            for line, name, better in old_names(file.read_text("utf-8"))
            if not (name == "ink" and place.parts[1] == "ui")  # a colour of the theme
        ]
    assert not found, "\n".join(found)


def test_words_are_found_in_names_of_every_style() -> None:
    source = "class HeardBy: ...\nSAID = 1\ndef _hear_on(text_ink): return text.ears\nfrom decoding.hearing import x\n"
    found = {name for _, name, _ in old_names(source)}
    assert found == {"HeardBy", "SAID", "_hear_on", "text_ink", "ears", "decoding.hearing"}
    assert not old_names("shared, link, nearer, gear, year, think, unlink, rehearsal = range(8)")
