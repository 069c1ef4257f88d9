"""A web page in one file: it plays the recording, and a click on a word goes there. It loads nothing from a network."""

from __future__ import annotations

import base64
import hashlib
from html import escape

from desktop_app.export.document import (
    RIGHT_TO_LEFT,
    Document,
    ExportOptions,
    clock,
    is_right_to_left,
    paragraphs,
    timed,
)
from desktop_app.texts import _
from desktop_app.transcript.editing import joint
from desktop_app.transcript.model import Segment

_COLORS = ("one", "two", "three", "four", "five", "six", "seven", "eight")

_STYLE = """
:root { color-scheme: light dark; --ink: #1d1c1a; --muted: #67635c; --page: #fff; --line: #e8e6e1; --soft: #ebf0fc;
  --accent: #2f5bd0; --one: #2a62b8; --two: #a34c0c; --three: #26703b; --four: #8440a8; --five: #0c6f7c;
  --six: #b32f55; --seven: #6b6410; --eight: #556070; }
@media (prefers-color-scheme: dark) { :root { --ink: #eceae5; --muted: #a5a19a; --page: #1b1b1a; --line: #2d2c2a;
  --soft: #33415f; --accent: #8caafa; --one: #82b1f6; --two: #f0a468; --three: #7ecb97; --four: #cf9bee;
  --five: #66c8d2; --six: #f490ab; --seven: #cfc765; --eight: #b0bac9; } }
body { margin: 0; background: var(--page); color: var(--ink); font: 18px/1.6 Literata, Georgia, serif; }
main { max-width: 42rem; margin: 0 auto; padding: 2.5rem 1.25rem 8rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
.about, .lost { color: var(--muted); font: 0.85rem/1.5 Inter, system-ui, sans-serif; margin: 0.4rem 0 2rem; }
p { margin: 0 0 1.1rem; overflow-wrap: break-word; }
.who { display: block; font: 600 0.85rem/1.6 Inter, system-ui, sans-serif; }
.time { font: 0.8rem/1.6 Inter, system-ui, sans-serif; font-variant-numeric: tabular-nums; color: var(--muted);
  background: none; border: 0; padding: 0 0.5rem 0 0; }
[dir=rtl] .time { padding: 0 0 0 0.5rem; }
.plays .time, .plays [data-t] { cursor: pointer; }
.plays .time:hover { color: var(--accent); text-decoration: underline; }
.plays [data-t]:hover { background: var(--line); }
.plays .now { background: var(--soft); border-radius: 3px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
footer { position: fixed; inset: auto 0 0; background: var(--page); border-top: 1px solid var(--line); }
audio { display: block; width: 100%; max-width: 42rem; margin: 0 auto; padding: 0.6rem 1.25rem;
  box-sizing: border-box; }
@media print { footer { display: none; } main { padding: 0; max-width: none; } }
""" + "".join(f".{color} {{ color: var(--{color}); }}\n" for color in _COLORS)

_SCRIPT = """
"use strict";
const sound = document.querySelector("audio");
const words = [...document.querySelectorAll("span[data-t]")];
const times = words.map(word => Number(word.dataset.t));
let now = null;
document.addEventListener("click", event => {
  const place = event.target.closest("[data-t]");
  if (!place || String(getSelection())) return;
  sound.currentTime = Number(place.dataset.t);
  sound.play();
});
sound.addEventListener("timeupdate", () => {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= sound.currentTime + 0.05) low = middle + 1; else high = middle;
  }
  const word = words[low - 1] || null;
  if (word === now) return;
  if (now) now.classList.remove("now");
  now = word;
  if (now) {
    now.classList.add("now");
    const box = now.getBoundingClientRect();
    if (!sound.paused && (box.bottom > innerHeight - 90 || box.top < 0)) now.scrollIntoView({block: "center"});
  }
});
sound.addEventListener("error", () => { document.querySelector(".lost").hidden = false; });
"""


def _hash(content: str) -> str:
    """The source of a content security policy that allows this content and no other."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


_POLICY = f"default-src 'none'; style-src {_hash(_STYLE)}; script-src {_hash(_SCRIPT)}; media-src 'self' file: data:"


def html(document: Document, options: ExportOptions) -> str:
    """The page. Without a sound it is only read."""
    language = document.transcript.language
    title = escape(document.name)
    body = "\n".join(_paragraphs(document, options))
    about = f'\n<p class="about">{escape(document.about)}</p>' if document.about else ""
    if document.marks:
        times = " ".join(map(_time, document.marks))
        about += f'\n<p class="about">{escape(_("Marked: {times}", times=""))}{times}</p>'
    player = lost = script = ""
    if document.sound:
        player = f'\n<footer><audio controls preload="metadata" src="{escape(document.sound)}"></audio></footer>'
        missing = _("The sound was not found. It is expected where it was when this page was saved.")
        lost = f'\n<p class="lost" hidden>{escape(missing)}</p>'
        script = f"\n<script>{_SCRIPT}</script>"
    direction = ' dir="rtl"' if language in RIGHT_TO_LEFT else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language) or "und"}"{direction}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body{' class=plays' if document.sound else ''}>\n<main>\n"
        f'<h1 dir="auto">{title}</h1>{about}{lost}\n{body}\n</main>{player}{script}\n</body>\n</html>\n'
    )


def _time(seconds: float) -> str:
    """A place in the recording, which a click plays."""
    return f'<button class="time" type="button" data-t="{seconds:.2f}">{clock(seconds)}</button>'


def _paragraphs(document: Document, options: ExportOptions) -> list[str]:
    transcript, found, now = document.transcript, [], 0.0
    colors = {each.name: _COLORS[number % len(_COLORS)] for number, each in enumerate(transcript.speakers)}
    said = ""  # the last name
    for paragraph in paragraphs(document):
        head = ""
        if options.names and paragraph.name and paragraph.name != said:
            head = f'<b class="who {colors[paragraph.name]}">{escape(paragraph.name)}</b>'
        said = paragraph.name
        if options.times:
            head += _time(paragraph.start)
        text, before = "", ""
        for segment in paragraph.segments:
            spans, now = _words(segment, now)
            text += joint(before, segment.text) + spans
            before = segment.text
        direction = "rtl" if is_right_to_left(paragraph.text, transcript.language) else "ltr"
        found.append(f'<p dir="{direction}">{head}{text}</p>')
    return found


def _words(segment: Segment, now: float) -> tuple[str, float]:
    """A line, each word with the second at which it begins, which never goes back; and the last of these."""
    text, at, parts = segment.text, 0, list[str]()
    for word, begin, end in timed(segment):
        now = max(now, word.start)
        begin = max(begin, at)
        parts.append(f'{escape(text[at:begin])}<span data-t="{now:.2f}">{escape(text[begin:end])}</span>')
        at = max(end, at)
    return ("".join(parts) + escape(text[at:])).strip(), now
