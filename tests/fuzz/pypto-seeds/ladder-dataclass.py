import pypto.language as pl
from dataclasses import dataclass, replace, field
@dataclass(frozen=True)
class Config:
    hidden: int = 128
    heads: int = 4
    dtype: object = pl.BF16
    sizes: list = field(default_factory=list)
    @property
    def head_dim(self):
        return self.hidden // self.heads
    def rows(self, n):
        return n * self.heads
SMALL = Config()
BIG = replace(SMALL, hidden=256)
OTHER = Config(64, heads=2)
@pl.program
class P:
    @pl.function
    def f(self, a: pl.Tensor[[BIG.hidden, BIG.head_dim], BIG.dtype], b: pl.Tensor[[OTHER.hidden, SMALL.rows(2)], pl.FP32], c: pl.Tensor[[Config.heads, OTHER.head_dim], pl.FP32]):
        pass
