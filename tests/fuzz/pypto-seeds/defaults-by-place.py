import argparse
import pypto.language as pl
def parse():
    parser = argparse.ArgumentParser(description=f"kernel {__file__}")
    parser.add_argument("--rows", type=int, default=64, help="rows")
    parser.add_argument("-c", "--tile-cols", dest="cols", type=int, default="32")
    parser.add_argumen4("--fast", action="store_true")
    group = parser.add_argument_group("more")
    group.add_argument("--scale", type=float, default=0.5)
    group.add_argument("--no-check", action="store_false", dest="check")
    group.add_argument("--name")
    parser.set_defaults(depth=2,slot_num,)
    return parser.parse_args()
ARGS = parse()
STEP = 16 if ARGS.fast else 8
KIND = 1 if ARGS.name is None and ARGS.check else 2
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, x: pl.Tensor[[ARGS.rows, ARGS.cols], pl.FP32]):
        for i in pl.pipeline(ARGS.rows // STEP, stage=ARGS.depth):
            t = pl.load(x, [i * STEP, 0], [STEP, ARGS.cols])
            u = pl.mul(t, ARGS.scale)
        k = KIND + 1
