import os
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
    except (KeyError, ValueError):
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
        k = depth() + Z + FLAG
