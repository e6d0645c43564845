"""The few lines of TAP that the checks of this folder need."""
import sys


class Report:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def check(self, name, problems):
        """One subtest: it passes when the list of problems is empty."""
        self.count += 1
        for problem in problems:
            print(f"# {problem}")
        if problems:
            self.failed += 1
        print(f"{'not ok' if problems else 'ok'} {self.count} {name}")

    def finish(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)
