"""The project's own sentence grammar: everyday sentences from the templates and word lists of `grammar.toml`."""

import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

_SLOT = re.compile(r"\{(\w+)\}")


def sentences_from_grammar(count: int, seed: int = 7) -> Iterator[str]:
    """`count` sentences (repeats possible); every template gets an even share, every slot an even draw."""
    rng = random.Random(seed)
    grammar = tomllib.loads(Path(__file__).with_name("grammar.toml").read_text())
    slots = {name: [choice.strip() for choice in text.split("|")] for name, text in grammar["slots"].items()}
    templates = [line.strip() for line in grammar["templates"].splitlines() if line.strip()]
    for i in range(count):
        text = templates[i % len(templates)]
        while match := _SLOT.search(text):
            text = text[: match.start()] + rng.choice(slots[match[1]]) + text[match.end() :]
        text = re.sub(r"\ba (?=[aeiou])", "an ", text)
        yield text[0].upper() + text[1:]
