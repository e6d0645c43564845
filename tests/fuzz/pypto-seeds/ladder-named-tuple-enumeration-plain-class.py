import pypto.language as pl
from enum import Enum
from typing import NamedTuple
class Size(NamedTuple):
    rows: int
    cols: int = 16
class Mode(Enum):
    FAST = 3
class Plain:
    WIDTH = 32
    def __init__(self, n):
        self.n = n * 2
S = Size(8)
@pl.program
class P:
    @pl.function
    def f(self, a: pl.Tensor[[S.rows, S.cols], pl.FP32], b: pl.Tensor[[Mode.FAST.value, Plain.WIDTH, Plain(5).n], pl.FP32]):
        pass
