#!/usr/bin/env python3
"""po/POTFILES.in is sorted, names only files that are there, and names every file with text for people."""
import pathlib
import re
import sys

from tap import Report

MARKED_C = re.compile(r"\b(?:_|N_|C_|NC_|Q_|ngettext|g_dngettext|dngettext) ?\(")
MARKED_XML = re.compile(r'translatable="yes"|gettext-domain=')


def has_text(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix in (".c", ".h", ".def"):
        # A macro that only defines the marker is no text.
        text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#define"))
        return bool(MARKED_C.search(text))
    if path.suffix in (".ui", ".xml"):
        return bool(MARKED_XML.search(text))
    return path.name.endswith((".desktop.in", ".metainfo.xml.in"))


def main():
    root = pathlib.Path(sys.argv[1])
    listed = [line for line in (root / "po" / "POTFILES.in").read_text().splitlines() if line and not line.startswith("#")]
    found = sorted(p.relative_to(root).as_posix() for folder in ("data", "src", "ui") for p in (root / folder).rglob("*")
                   if p.suffix in (".c", ".h", ".def", ".ui", ".xml", ".in") and has_text(p))
    report = Report()
    report.check("sorted", [] if listed == sorted(listed) else [f"expected order: {sorted(listed)}"])
    report.check("names files that exist", [f"{name} is not there" for name in listed if not (root / name).is_file()])
    report.check("complete", [f"{name} is missing" for name in found if name not in listed])
    report.check("nothing in vain", [f"{name} has no text for people" for name in listed if name not in found])
    catalogues = {p.stem for p in (root / "po").glob("*.po")}
    languages = {line for line in (root / "po" / "LINGUAS").read_text().split("\n") if line and not line.startswith("#")}
    report.check("LINGUAS names the catalogues", sorted(catalogues ^ languages))
    report.finish()


main()
