#!/usr/bin/env python3
"""Include rules of the layers, sizes of files, and words that do not belong into the sources.

layers.py ROOT [--self-test]. The rules are data; --self-test runs them on texts that break each of them.
"""
import pathlib
import re
import sys

from tap import Report

ENGINE = ["base", "ir", "machine", "lang", "passes", "sim", "run"]
LAYERS = ENGINE + ["draw", "app", "cli"]
# What a layer may include besides itself. Siblings (lang, passes, sim; app, cli) do not know each other.
BELOW = {
    "base": [],
    "ir": ["base"],
    "machine": ["base", "ir"],
    "lang": ["base", "ir", "machine"],
    "passes": ["base", "ir", "machine"],
    "sim": ["base", "ir", "machine"],
    "run": ENGINE[:-1],
    "draw": ENGINE,
    "app": ENGINE + ["draw"],
    "cli": ENGINE + ["draw"],
}
GTK = re.compile(r"^(gtk|gdk|gsk|graphene|adwaita|gtksourceview)\b")
CAIRO = re.compile(r"^(cairo|pango)")
# The one back end of draw that paints, and the measurer of texts. The application gets both through <gtk/gtk.h>.
CAIRO_FILES = re.compile(r"^draw/(cairo|text)[a-z-]*\.[ch]$")
CALLS_CAIRO = re.compile(r"\b(cairo|pango)_[a-z_]+ \(")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
# Made by the build, beside the sources or in its root.
GENERATED = {"config.h", "resources.h", "machine-files.h", "kernels-resource.h"}
MAX_LINES = 800
MAX_COLUMNS = 132
SOURCE_SUFFIXES = {".c", ".h", ".def", ".py", ".sh", ".ui", ".xml", ".css", ".build", ".md", ".in", ".lang"}
# Paths and names of the machine something was written on, and words that say it is not finished.
# The patterns are written so that this file does not match itself.
FORBIDDEN = re.compile(r"(?<![\w.~-])/(?:work|tmp|root|home)/[\w.]|\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
SPDX = "/* SPDX-License-Identifier: GPL-3.0-or-later */"


def include_problems(path, text):
    """`path` is relative to src, e.g. draw/scene.c."""
    layer = path.split("/")[0]
    problems = []
    for kind, target in INCLUDE.findall(text):
        if kind == '"':
            first = target.split("/")[0]
            if target in GENERATED:
                continue
            if "/" not in target or first not in LAYERS:
                problems.append(f'src/{path}: "{target}" is not written from src, as in "ir/op.h"')
            elif first != layer and first not in BELOW[layer]:
                problems.append(f'src/{path}: layer {layer} must not include "{target}"')
        elif GTK.match(target) and layer != "app":
            problems.append(f"src/{path}: <{target}> belongs to src/app only")
        elif CAIRO.match(target) and not CAIRO_FILES.match(path) and layer != "app":
            problems.append(f"src/{path}: <{target}> belongs to the cairo back end and the measurer of src/draw only")
    if layer != "app" and not CAIRO_FILES.match(path) and CALLS_CAIRO.search(text):
        problems.append(f"src/{path}: calls cairo or pango: {CALLS_CAIRO.search(text).group(0)}")
    return problems


def form_problems(path, text, is_c):
    problems = []
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        problems.append(f"{path}: {len(lines)} lines, at most {MAX_LINES}: split it by topic")
    if is_c:
        if not lines or lines[0] != SPDX:
            problems.append(f"{path}: the first line is not {SPDX}")
        for number, line in enumerate(lines, 1):
            if len(line) > MAX_COLUMNS:
                problems.append(f"{path}:{number}: {len(line)} columns, at most {MAX_COLUMNS}")
            if "\t" in line or line.endswith(" "):
                problems.append(f"{path}:{number}: tab or space at the end of the line")
    return problems


def word_problems(path, text):
    return [f"{path}:{text.count(chr(10), 0, m.start()) + 1}: '{m.group(0)}' does not belong here" for m in FORBIDDEN.finditer(text)]


def assert_problems(path, text):
    """Checks of tests survive G_DISABLE_ASSERT only when they are g_assert_*."""
    return [f"{path}:{text.count(chr(10), 0, m.start()) + 1}: g_assert() in a test: use g_assert_*"
            for m in re.finditer(r"\bg_assert \(", text)]


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


def check_tree(root, report):
    skip = {".git", "subprojects"}
    files = sorted(p for p in root.rglob("*") if p.is_file() and not (set(p.relative_to(root).parts) & skip)
                   and not p.relative_to(root).parts[0].startswith(("build", "_build")))
    src = [p for p in files if p.is_relative_to(root / "src") and p.suffix in (".c", ".h", ".def", ".in")]
    for layer in LAYERS:
        problems = []
        for p in src:
            relative = p.relative_to(root / "src").as_posix()
            if relative.split("/")[0] == layer:
                problems += include_problems(relative, read(p))
        report.check(f"includes of {layer}", problems)
    unknown = sorted({p.relative_to(root / "src").parts[0] for p in src} - set(LAYERS))
    report.check("every folder of src is a layer", [f"src/{name} is not in the list of layers" for name in unknown])
    ours = [p for p in files if not p.is_relative_to(root / "tests" / "golden")
            and (p.suffix in SOURCE_SUFFIXES or p.name in ("meson.build", "run"))]
    c_like = (".c", ".h", ".def")
    # Tables (.def) and texts grow by rows, not by logic: only code has the bound of lines.
    report.check("form of files", sum((form_problems(p.relative_to(root), read(p), p.suffix in c_like)
                                       for p in ours if p.suffix in (".c", ".h", ".py", ".sh")), []))
    words = [p for p in ours if p.name not in ("layers.py",)]
    report.check("words", sum((word_problems(p.relative_to(root), read(p)) for p in words), []))
    report.check("assertions of tests", sum((assert_problems(p.relative_to(root), read(p))
                                             for p in files if p.is_relative_to(root / "tests") and p.suffix == ".c"), []))


def self_test(report):
    broken = {
        "upward include": ("ir/op.c", '#include "sim/stream.h"\n'),
        "sibling include": ("passes/a.c", '#include "lang/pypto/pypto.h"\n'),
        "app in cli": ("cli/a.c", '#include "app/window.h"\n'),
        "no layer in the name": ("ir/op.c", '#include "op.h"\n'),
        "GTK in draw": ("draw/scene.c", "#include <gtk/gtk.h>\n"),
        "cairo in a scene": ("draw/scene.c", "#include <cairo.h>\n"),
        "cairo call in run": ("run/run.c", "cairo_stroke (cr);\n"),
    }
    for name, (path, text) in broken.items():
        report.check(f"finds: {name}", [] if include_problems(path, text) else [f"nothing said about {text!r} in {path}"])
    fine = include_problems("draw/cairo.c", '#include <cairo.h>\n#include "run/run.h"\n')
    fine += include_problems("app/window.c", '#include <gtk/gtk.h>\n#include "draw/scene.h"\n#include "config.h"\n')
    report.check("accepts what is allowed", fine)
    report.check("finds: long file", [] if form_problems("a.c", SPDX + "\n" * 900, True) else ["900 lines passed"])
    report.check("finds: path of a machine", [] if word_problems("a.c", "see /" + "home/me") else ["path passed"])
    report.check("finds: bare assertion", [] if assert_problems("t.c", "g_assert " + "(x)") else ["assertion passed"])


def main():
    report = Report()
    if "--self-test" in sys.argv:
        self_test(report)
    else:
        check_tree(pathlib.Path(sys.argv[1]).resolve(), report)
    report.finish()


main()
