"""A module that shows one:
@pl.program
"""
from textwrap import dedent
def test_it():
    code = dedent('''
        import pypto.language as pl
        @pl.program
        class Inner:
            @pl.function
            def f(self, x: pl.Tensor[[8, 8], pl.FP32]):
                y = pl.exp(x)
                z = pl.exp(nothing)
    ''')
    check(code)
