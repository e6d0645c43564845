import os
import sys
import pypto.language as pl
TILE = int(os.environ.get("TILE", "64"))
ROWS = int(os.getenv("ROWS", 32))
def read_arg(name, default):
    for i, word in enumerate(sys.argv):
        if word == name:
            return int(sys.argv[i + 1])
    return default
COLS = read_arg("--cols", 16)
def ask(name, default=8):
    return connect().get(name)
DEPTH = ask("depth")
@pl.program
class P:
    @pl.function
    def f(self, a: pl.Tensor[[TILE, ROWS, COLS, DEPTH], pl.FP32]):
        pass
