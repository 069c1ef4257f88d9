"""What the text of a recording must be, whatever somebody types into it: the rules of an editor, written down anew.

Nothing here knows how Galley edits. A place is a line and a character of it, as they are shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

Place = tuple[int, int]

TYPED, DELETED, OTHER = "typed", "deleted", "other"
"""What a step was: several of typing may be taken back together, and so may several of deleting."""


EITHER = "either"
"""Of a joint: whether a space stands there does not matter."""


@dataclass(frozen=True)
class Line:
    """Attributes: text; begins (whether a paragraph begins with it, None where that cannot be told); speaker; joint
    (what stood before it when it was split off, "" within a word, or EITHER; None where it was never one with the line
    before).
    """

    text: str
    begins: bool | None
    speaker: str | None
    joint: str | None = None


class Sheet:
    """The lines of a recording and the caret, with what can be taken back and made again.

    Attributes: lines; anchor, caret (the same place: nothing is selected).
    """

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.anchor = self.caret = (0, 0)
        self._is_either = False  # whether there may be a space at the caret
        self._past: list[tuple[str, list[Line]]] = []
        self._future: list[list[tuple[str, list[Line]]]] = []

    @property
    def texts(self) -> list[str]:
        """The text of each line."""
        return [line.text for line in self.lines]

    @property
    def range(self) -> tuple[Place, Place]:
        """The places between which text is selected, in order."""
        first, last = sorted((self.anchor, self.caret))
        return first, last

    def put(self, anchor: Place, caret: Place) -> None:
        """The user has moved the caret."""
        for line, character in (anchor, caret):
            assert 0 <= line < len(self.lines) and 0 <= character <= len(self.lines[line].text), "outside the text"
        self.anchor, self.caret = anchor, caret

    def replace(self, begin: Place, end: Place, text: str) -> None:
        """Something is typed, deleted or pasted."""
        (first, since), (last, until) = begin, end
        old = self.lines[first : last + 1]
        edges = old[0].text.rstrip()[-1:] + old[-1].text.lstrip()[:1]
        self._is_either = len(old) == 2 and (old[1].joint == EITHER or edges > "\u2e80" or edges[1:] > "\u2e80")
        head, tail = old[0].text[:since], old[-1].text[until:]
        if first < last and not text and (since == len(old[0].text) or until == 0):
            head, tail = _joined(head, tail, old[1].joint if last == first + 1 else None)
        pieces = (head + text + tail).split("\n")
        hidden = len(pieces[-1]) - len(pieces[-1].lstrip())
        caret = (first + len(pieces) - 1, max(len(pieces[-1]) - len(tail) - hidden, 0))
        ends = [*(piece.rstrip() for piece in pieces[:-1]), pieces[-1]]
        speaker = old[0].speaker if head.strip() or not tail.strip() or "\n" in text else old[-1].speaker
        made = [replace(old[0], text=ends[0].lstrip(), speaker=speaker)]
        for number, piece in enumerate(ends[1:], 1):
            is_word = text == "\n" and pieces[0][-1:].strip() and pieces[1][:1].strip()
            joint = " " if not is_word else "" if begin == end else EITHER
            speaker = old[-1].speaker if number == len(ends) - 1 else speaker
            made.append(Line(piece.lstrip(), True, speaker, joint))
        if since == 0 and end > (first, 0) and made[0].joint == "":
            made[0] = replace(made[0], joint=EITHER)  # what was split off a word is gone
        if len(made) == 2 and not made[0].text:  # an empty line before the whole one
            made[1] = replace(made[1], joint=old[0].joint)
        if made != old:
            self._past.append((OTHER if first != last or "\n" in text else TYPED if text else DELETED, self.lines))
            self._future.clear()
            behind = self.lines[last + 1 :]
            if _moves_paragraphs(old, begin, end, text):
                made, behind = ([replace(line, begins=None) for line in part] for part in (made, behind))
            self.lines = [*self.lines[:first], *made, *behind]
        self.anchor = self.caret = caret

    def take_spaces(self, texts: list[str], caret: Place) -> None:
        """How many spaces stand at the caret, if any do, does not matter: what was split may come back as it was."""
        line, character = self.caret
        if len(texts) != len(self.lines) or caret[0] != line or texts[line] == self.lines[line].text:
            return
        before, now = self.lines[line].text, texts[line]
        sides = [(text[:at].split(), text[at:].split()) for text, at in ((before, character), (now, caret[1]))]
        if sides[0] == sides[1] and (self._is_either or before.split() == now.split()):
            self.lines = [*self.lines[:line], replace(self.lines[line], text=now), *self.lines[line + 1 :]]
            self.anchor = self.caret = caret

    def undo(self, texts: list[str]) -> None:
        """One step was taken back, which has led to `texts`: one that there was, with no more on the way to it than can
        be one step."""
        undone, lines = list[tuple[str, list[Line]]](), self.lines
        places = range(len(self._past) - 1, -1, -1)
        there = next((at for at in places if [line.text for line in self._past[at][1]] == texts), None)
        if there is None:  # what was split may have come back with or without a space
            there = next((at for at in places if _letters(self._past[at][1]) == [_bare(text) for text in texts]), None)
        assert there is not None, "never was the text so"
        while len(self._past) > there:
            kind, before = self._past.pop()
            undone.append((kind, lines))
            lines = before
        kinds = {kind for kind, _lines in undone}
        assert len(undone) == 1 or kinds in ({TYPED}, {DELETED}), f"more than a step was taken back: {undone}"
        self.lines = [replace(line, text=text) for line, text in zip(lines, texts, strict=True)]
        self._future.append(undone)

    def redo(self) -> None:
        """What was taken back last was made again."""
        for kind, after in reversed(self._future.pop()):
            self._past.append((kind, self.lines))
            self.lines = after

    @property
    def can_undo(self) -> bool:
        """Whether anything can be taken back."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether anything can be made again."""
        return bool(self._future)

    def forget(self) -> None:
        """Galley was closed: nothing can be taken back."""
        self._past.clear()
        self._future.clear()


def _moves_paragraphs(old: list[Line], begin: Place, end: Place, text: str) -> bool:
    """Whether a paragraph may begin elsewhere now: the first or last word of a line, by which pauses and the ends of
    sentences are told, is another one, or lines are one that were heard apart. Enter and Backspace after it move none.
    """
    if begin == end:
        before, behind = old[0].text[: begin[1]], old[0].text[begin[1] :]
        return text != "\n" and (not before.rstrip().count(" ") or not behind.lstrip().count(" "))
    is_merge = len(old) == 2 and not text and (begin[1], end[1]) == (len(old[0].text), 0)
    return not (is_merge and old[1].joint is not None and old[0].speaker == old[1].speaker)


def _joined(head: str, tail: str, joint: str | None) -> tuple[str, str]:
    """The ends of two lines that become one: with a space, but for a word that was split."""
    is_open = joint == "" and head == head.rstrip()
    head, tail = head.rstrip(), tail.lstrip()
    return head + ("" if is_open or not head or not tail else " "), tail


def _bare(text: str) -> str:
    return "".join(text.split())


def _letters(lines: list[Line]) -> list[str]:
    return [_bare(line.text) for line in lines]
