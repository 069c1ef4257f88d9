"""How the user exported last: format, looks and names, kept in the settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from desktop_app import bounded
from desktop_app.app.settings.preferences import Preferences
from desktop_app.export import names
from desktop_app.export.document import ExportOptions, read_options
from desktop_app.export.formats import FORMATS

_KEY = "export"


@dataclass(frozen=True)
class ExportChoice:
    """Attributes: form (a format's name); template (of the names of files); times (whether a format has times, for
    those where the user said so); looks (all other options)."""

    form: str = "txt"
    template: str = names.TEMPLATE
    times: Mapping[str, bool] = field(default_factory=dict)
    looks: ExportOptions = field(default_factory=ExportOptions)

    @property
    def options(self) -> ExportOptions:
        """Those of the format."""
        times = self.times.get(self.form, FORMATS[self.form].times)
        return replace(self.looks, times=times)

    def with_options(self, options: ExportOptions) -> ExportChoice:
        """The choice with other options of its format."""
        times = {**self.times, self.form: bool(options.times)}
        return replace(self, times=times, looks=replace(options, times=None))


def read(preferences: Preferences) -> ExportChoice:
    """What was chosen last; as by default what was not, or is not possible."""
    try:
        kept = bounded.parse_json(preferences.text(_KEY, "{}"))
        form, template, times, looks = (kept.get(name) for name in ("form", "template", "times", "looks"))
    except (ValueError, AttributeError):
        return ExportChoice()
    usual = ExportChoice()
    return ExportChoice(
        form if isinstance(form, str) and form in FORMATS else usual.form,
        template if isinstance(template, str) and template.strip() else usual.template,
        {name: on for name, on in times.items() if name in FORMATS and isinstance(on, bool)}
        if isinstance(times, dict)
        else {},
        read_options(looks) if isinstance(looks, dict) else usual.looks,
    )


def keep(preferences: Preferences, choice: ExportChoice) -> None:
    """For the next time. A sound is put into a page only where that was asked for."""
    looks = replace(choice.looks, sound=False).plain()
    kept = {"form": choice.form, "template": choice.template, "times": dict(choice.times), "looks": looks}
    preferences.set(_KEY, json.dumps(kept))
