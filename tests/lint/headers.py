#!/usr/bin/env python3
"""Each header of src compiles alone. headers.py ROOT BUILD WITH_APP -- COMPILER FLAGS..."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

from tap import Report


def compile_alone(header, src, command):
    # A file that includes the header twice: it must stand alone and guard itself.
    with tempfile.NamedTemporaryFile("w", suffix=".c") as unit:
        unit.write(f'#include "{header}"\n#include "{header}"\nextern int nothing_else;\n')
        unit.flush()
        done = subprocess.run([*command, "-fsyntax-only", unit.name], capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else done.stderr.splitlines()[:12]


def main():
    split = sys.argv.index("--")
    root, build, with_app = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "yes"
    command = [*sys.argv[split + 1:], f"-I{root / 'src'}", f"-I{build}"]
    src = root / "src"
    headers = sorted(p.relative_to(src).as_posix() for p in src.rglob("*.h"))
    headers = [h for h in headers if with_app or not h.startswith("app/")]
    report = Report()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for header, problems in zip(headers, pool.map(lambda h: compile_alone(h, src, command), headers)):
            report.check(header, problems)
    report.finish()


main()
