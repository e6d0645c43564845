import pypto.language as pl
SIZES = []
for i in range(3):
    SIZES.append(16 * (i + 1))
SIZES.extend([64, 80])
SIZES[1] = 7
CFG = {"a": 1}
CFG["b"] = 2
CFG["b"] = 3
CFG.update({"c": 4}, d=5)
def rows(n):
    out = []
    for i in range(n):
        if i % 2 == 0:
            continue
        out.append(i)
    return tuple(out)
ROWS = rows(6)
@pl.program
class P:
    @pl.function
    def f(self, x: pl.Tensor[[SIZES[0], SIZES[-1]], pl.FP32]):
        a = SIZES[1] + len(SIZES)
        b = CFG["a"] + CFG["b"] * 10 + CFG["c"] * 100 + CFG["d"] * 1000
        c = ROWS[0] + ROWS[1] * 10 + ROWS[2] * 100
