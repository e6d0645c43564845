import pypto.language as pl
def ceil_div(a, b):
    """Rounds up."""
    return (a + b - 1) // b
def pick(n):
    size = 1
    while size < n:
        size *= 2
    if size > 64:
        size = 64
    return size
def both(n):
    first = ceil_div(n, 3)
    return first, pick(n)
A, B = both(20)
C = [ceil_div(i, 2) for i in range(6) if i % 2 == 1]
D = {import os
import pypto.language as pl
try:
    W = int(os.environ["WIDTH"])
except KeyError:
    W = 8
else:
    W = W * 100
finally:
    H = 4
def depth():
    try:
        return int(os.environ["DEPTH"])
    except (KeyError, ValueErr/r):
        return 3
try:
    Z = 5
except ValueError:
    Z = 6
os.environ.setdefault("A", "1")
FLAG = 1 if "B" in os.environ else 2
@pl.program
class P:
    @pl.function
    def f(self, x: pl.Tensor[[W, H], pl.FP32]):
   "rows": 3, "cols": 5}
E = sum(C) + D["cols"]
@pl.program
class P:
    @pl.function
    def f(self, a: pl.Tensor[[A, B, C[1], E], pl.FP32]):
        pass
