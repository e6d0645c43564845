#!/usr/bin/env python3
"""Count the tests of one run from meson's testlog.json and print `N passed, N failed[, N skipped]` as the last line.

A program that speaks TAP counts by its subtests, any other one as one test. A program that broke off (crash, time-out, missing
subtests) counts as one more failure, so that nothing red can hide behind green subtests.
"""
import json
import re
import sys

GOOD = {"OK", "EXPECTEDFAIL"}
SUBTEST = re.compile(r"^(not )?ok\b[^#]*(#\s*(\w+))?", re.IGNORECASE)


def count_subtests(text):
    passed = failed = skipped = 0
    for line in text.splitlines():
        match = SUBTEST.match(line)
        if not match:
            continue
        directive = (match.group(3) or "").lower()
        if directive == "skip":
            skipped += 1
        elif match.group(1) and directive != "todo":
            failed += 1
        else:
            passed += 1
    return passed, failed, skipped


def main():
    log, status = sys.argv[1], int(sys.argv[2])
    passed = failed = skipped = 0
    names = []
    try:
        with open(log, encoding="utf-8", errors="replace") as lines:
            tests = [json.loads(line) for line in lines]
    except OSError as error:
        print(f"no test log: {error}")
        tests = []
    for test in tests:
        p, f, s = count_subtests(test.get("stdout") or "")
        result = test["result"]
        if p + f + s == 0:
            p, f, s = result in GOOD, result not in GOOD and result != "SKIP", result == "SKIP"
        elif result not in GOOD and result != "SKIP" and f == 0:
            f = 1
        passed, failed, skipped = passed + p, failed + f, skipped + s
        if f:
            names.append(test["name"])
    if (status or not tests) and not failed:
        failed = 1
        names.append("meson test itself")
    for name in names:
        print(f"failed: {name}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


sys.exit(main())
