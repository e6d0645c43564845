#!/usr/bin/env python3
"""Everything a desktop needs is installed, and nothing points into the build folder. install.py MESON BUILD APPLICATION_ID PREFIX"""
import pathlib
import subprocess
import sys
import tempfile

from tap import Report


def expected(app):
    return ["bin/tilescope", "bin/tilescope-cli", f"share/applications/{app}.desktop", f"share/metainfo/{app}.metainfo.xml",
            f"share/glib-2.0/schemas/{app}.gschema.xml", f"share/mime/packages/{app}.xml",
            f"share/icons/hicolor/scalable/apps/{app}.svg", f"share/icons/hicolor/symbolic/apps/{app}-symbolic.svg",
            "share/locale/zh_CN/LC_MESSAGES/tilescope.mo", "share/man/man1/tilescope-cli.1"]


def main():
    meson, build, app, prefix = sys.argv[1:5]
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([meson, "install", "-C", build, "--no-rebuild", "--destdir", folder], capture_output=True, text=True,
                              check=False)
        report.check("meson install", [] if done.returncode == 0 else (done.stdout + done.stderr).splitlines()[-10:])
        root = pathlib.Path(folder + prefix)
        report.check("files", [f"{name} is not installed" for name in expected(app) if not (root / name).is_file()])
        desktop = root / f"share/applications/{app}.desktop"
        text = desktop.read_text(encoding="utf-8") if desktop.is_file() else ""
        report.check("the desktop file starts what is installed",
                     [] if "\nExec=tilescope " in text and f"\nIcon={app}\n" in text else [text])
        private = [p for p in root.rglob("*") if p.is_file() and p.suffix in (".desktop", ".xml", ".svg", ".1")
                   and build in p.read_text(encoding="utf-8", errors="replace")]
        report.check("no path of the build folder", [str(p.relative_to(root)) for p in private])
    report.finish()


main()
