/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Result types, refusals, pipes, categories and aliasing, row by row from ops.md. Kernels of one statement are read as text. */
#include <string.h>

#include "ir/infer.h"
#include "ir/op-info.h"
#include "lang/pypto/pypto.h"

typedef struct
{
  TsStrings *strings;
  TsModule  *module;
  TsOp      *op; /* the last statement before the return */
} Kernel;

static void
kernel_clear (Kernel *kernel)
{
  ts_module_free (kernel->module);
  ts_strings_unref (kernel->strings);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Kernel, kernel_clear)

/* `statement` is "CALL", or "TYPE = CALL". */
static Kernel
read_kernel (const char *parameters, const char *statement)
{
  const TsPyptoOptions   options = { .mode = TS_PYPTO_DUMP };
  const char            *equals = strstr (statement, " = ");
  g_autofree char       *type = equals != NULL ? g_strndup (statement, equals - statement) : g_strdup ("pl.UnknownType");
  g_autofree char       *text = g_strconcat ("@pl.function(type=pl.FunctionType.InCore)\ndef k(", parameters, "):\n    r: ", type,
                                             " = ", equals != NULL ? equals + 3 : statement, "\n    return\n", NULL);
  g_autoptr (TsSource)   source = ts_source_new_text ("case.py", text);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  Kernel                 kernel = { .strings = ts_strings_new () };
  TsBlock               *block;
  kernel.module = ts_pypto_parse (source, kernel.strings, &options, diags);
  if (ts_diag_list_has_errors (diags))
    g_error ("%s: %s", text, ts_diag_list_get (diags, 0)->message);
  block = ts_function_block (kernel.module->functions[0]);
  kernel.op = block->first;
  return kernel;
}

/* --- result types and refusals -------------------------------------------------------------------------------------------- */

typedef struct
{
  const char *parameters, *call;
  const char *type;  /* as printed, without "pl.": NULL when refused */
  const char *error; /* part of the message */
} TypeCase;

#define VEC(shape, dtype) "pl.Tile[[" shape "], pl." dtype ", pl.Mem.Vec]"
#define IN_SPACE(shape, dtype, space) "pl.Tile[[" shape "], pl." dtype ", pl.Mem." space "]"
#define TENSOR(shape, dtype) "pl.Tensor[[" shape "], pl." dtype "]"

static const TypeCase type_cases[] = {
  /* ops.md 13, in its order where it speaks of types */
  { "a: " VEC ("8, 16", "FP16") ", b: " VEC ("1, 16", "FP32"), "pl.tile.add(a, b)", VEC ("8, 16", "FP32"), NULL },
  { "a: " VEC ("4, 100", "FP32") ", b: " VEC ("4, 100", "FP32"), "pl.tile.cmp(a, b, cmp_type=0)",
    "pl.Tile[[4, 32], pl.UINT8, pl.Mem.Vec, pl.TileView(valid_shape=[4, 13])]", NULL },
  { "a: " IN_SPACE ("16, 64", "INT8", "Left") ", b: " IN_SPACE ("64, 32", "INT8", "Right"), "pl.tile.matmul(a, b)",
    IN_SPACE ("16, 32", "INT32", "Acc"), NULL },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.fillpad(a, pad_value=pl.PadValue.null)", NULL, "pad_value must be" },
  { "a: " VEC ("1, 32", "FP32") ", i: " VEC ("1, 32", "UINT32"), "pl.tile.sort32(a, i)", VEC ("1, 64", "FP32"), NULL },
  { "a: " IN_SPACE ("64, 64", "FP16", "Mat"), "pl.tile.extract(a, 0, 0, [32, 64], target_memory=pl.Mem.Right)",
    IN_SPACE ("32, 64", "FP16", "Right"), NULL },
  { "", "pl.tile.ci(0, [1, 1], dtype=pl.INT32, descending=False)", NULL, "one column" },
  { "s: " IN_SPACE ("16, 2", "FP8E8M0", "RightScale") ", a: " IN_SPACE ("16, 64", "FP8E4M3FN", "Left"),
    "pl.tile.tget_scale_addr(s, a)", NULL, "left scale goes with a left operand" },
  { "s: " IN_SPACE ("16, 2", "FP8E8M0", "LeftScale") ", a: " IN_SPACE ("16, 64", "FP8E4M3FN", "Left"),
    "pl.tile.tget_scale_addr(s, a)", IN_SPACE ("16, 2", "FP8E8M0", "LeftScale"), NULL },

  /* promotion: float over integer, width, sign */
  { "a: " VEC ("8, 16", "INT32") ", b: " VEC ("8, 16", "FP16"), "pl.tile.mul(a, b)", VEC ("8, 16", "FP16"), NULL },
  { "a: " VEC ("8, 16", "UINT16") ", b: " VEC ("8, 16", "INT16"), "pl.tile.sub(a, b)", VEC ("8, 16", "INT16"), NULL },
  { "a: " VEC ("8, 16", "INT16") ", b: " VEC ("8, 16", "UINT32"), "pl.tile.maximum(a, b)", VEC ("8, 16", "UINT32"), NULL },
  { "a: " VEC ("1, 16", "FP32") ", b: " VEC ("8, 16", "FP32"), "pl.tile.add(a, b)", VEC ("8, 16", "FP32"), NULL },
  { "a: " VEC ("8, 16", "FP32") ", b: " VEC ("8, 8", "FP32"), "pl.tile.add(a, b)", NULL, "cannot be broadcast" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.add(a)", NULL, "1 argument given, 2 needed" },
  { "a: " VEC ("8, 16", "FP32") ", b: " VEC ("8, 16", "FP32"), "pl.tile.add(a, b, a)", NULL, "3 arguments given, 2 needed" },
  { "a: " VEC ("8, 16", "FP32") ", n: pl.Scalar[pl.FP32]", "pl.tile.add(n, a)", NULL, "must be a tile" },
  { "a: " VEC ("8, 16", "FP32") ", b: " TENSOR ("8, 16", "FP32"), "pl.tile.add(a, b)", NULL, "do not mix" },

  /* 3, 8, 11: what the operands must fit */
  { "a: " VEC ("8, 16", "FP32") ", v: " VEC ("4, 1", "FP32"), "pl.tile.row_expand_mul(a, v)", NULL, "as many rows" },
  { "a: " VEC ("8, 16", "FP32") ", v: " VEC ("8, 16", "FP32"), "pl.tile.row_expand(a, v)", NULL, "one valid column" },
  { "a: " VEC ("8, 16", "FP32") ", v: " VEC ("8, 8", "FP32"), "pl.tile.row_expand_max(a, v)", VEC ("8, 16", "FP32"), NULL },
  { "a: " VEC ("8, 16", "FP32") ", v: " VEC ("1, 8", "FP32"), "pl.tile.col_expand_sub(a, v)", NULL, "as many columns" },
  { "a: " VEC ("8, 16", "FP32") ", v: " VEC ("8, 16", "FP32"), "pl.tile.col_expand(a, v)", NULL, "one valid row" },
  { "a: " VEC ("8, 16", "FP32") ", v: " VEC ("1, 16", "FP32"), "pl.tile.col_expand_min(a, v)", VEC ("8, 16", "FP32"), NULL },
  { "c: " IN_SPACE ("16, 32", "FP32", "Acc") ", a: " IN_SPACE ("16, 64", "FP16", "Left") ", b: "
      IN_SPACE ("32, 32", "FP16", "Right"), "pl.tile.matmul_acc(c, a, b)", NULL, "inner dimensions" },
  { "c: " IN_SPACE ("16, 32", "FP32", "Acc") ", a: " IN_SPACE ("16, 64", "FP16", "Left") ", b: "
      IN_SPACE ("64, 32", "BF16", "Right"), "pl.tile.matmul_acc(c, a, b)", NULL, "same element type" },
  { "c: " IN_SPACE ("32, 32", "FP32", "Acc") ", a: " IN_SPACE ("16, 64", "FP16", "Left") ", b: "
      IN_SPACE ("64, 32", "FP16", "Right"), "pl.tile.batch_matmul_acc(c, a, b)", NULL, "the shape of the product" },
  { "c: " IN_SPACE ("16, 32", "FP32", "Acc") ", a: " IN_SPACE ("16, 64", "INT8", "Left") ", b: "
      IN_SPACE ("64, 32", "INT8", "Right"), "pl.tile.matmul_acc(c, a, b)", NULL, "INT32 for integers" },
  { "c: " IN_SPACE ("16, 32", "FP32", "Acc") ", a: " IN_SPACE ("16, 64", "FP16", "Left") ", b: "
      IN_SPACE ("64, 32", "FP16", "Right"), "pl.tile.gemv_acc(c, a, b)", NULL, "one row" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.read(a, [0])", NULL, "an index for each dimension" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.write(a, [0], 1.0)", NULL, "an index for each dimension" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.write(a, [0, 0], True)", NULL, "the element type" },

  /* 2: constraints */
  { "a: " VEC ("8, 16", "BF16") ", b: " VEC ("8, 16", "BF16"), "pl.tile.div(a, b)", NULL, "BF16 is not allowed" },
  { "a: " VEC ("8, 16", "FP32") ", b: " VEC ("8, 16", "FP16"), "pl.tile.div(a, b)", NULL, "same element type" },
  { "a: " VEC ("8, 16", "FP32") ", b: " VEC ("1, 16", "FP32"), "pl.tile.div(a, b)", NULL, "same shape" },
  { "a: " VEC ("8, 16", "INT32") ", b: " VEC ("8, 16", "INT32"), "pl.tile.div(a, b, high_precision=True)", NULL, "FP16 or FP32" },
  { "a: " VEC ("8, 16", "FP32") ", b: " VEC ("8, 16", "FP32"), "pl.tile.and_(a, b)", NULL, "FP32 is not allowed" },
  { "a: " VEC ("8, 16", "INT16") ", b: " VEC ("8, 16", "INT32"), "pl.tile.shl(a, b)", VEC ("8, 16", "INT16"), NULL },
  { "a: " VEC ("8, 16", "INT16") ", n: pl.Scalar[pl.FP32]", "pl.tile.shls(a, n)", NULL, "must be an integer" },
  { "a: " VEC ("8, 16", "UINT8") ", n: pl.Scalar[pl.INT32]", "pl.tile.subs(a, n)", NULL, "UINT8 is not allowed" },
  { "a: " VEC ("8, 16", "FP16") ", n: pl.Scalar[pl.FP32]", "pl.tile.adds(a, n)", VEC ("8, 16", "FP16"), NULL },
  { "a: " VEC ("8, 16", "FP16") ", n: pl.Scalar[pl.FP32], t: " VEC ("8, 16", "FP16"), "pl.tile.rems(a, n, t)", VEC ("8, 16",
    "FP32"),
    NULL },
  { "a: " VEC ("8, 16", "FP16") ", b: " VEC ("8, 16", "FP16") ", t: " VEC ("64, 64", "FP32"), "pl.tile.rem(a, b, t)",
    VEC ("8, 16", "FP16"), NULL },
  { "a: " VEC ("8, 16", "FP16") ", b: " VEC ("8, 16", "FP32") ", c: " VEC ("1, 16", "FP16"), "pl.tile.addc(a, b, c)",
    VEC ("8, 16", "FP32"), NULL },
  { "a: " VEC ("8, 16", "FP32") ", s: " VEC ("8, 8", "FP32") ", t: " VEC ("8, 16", "FP32"), "pl.tile.prelu(a, s, t)", NULL,
    "slope must have" },
  { "a: " VEC ("8, 16", "FP16"), "pl.tile.sin(a)", NULL, "FP16 is not allowed" },
  { "a: " VEC ("8, 16", "BF16"), "pl.tile.log(a)", NULL, "BF16 is not allowed" },
  { "a: " VEC ("8, 16", "FP16") ", t: " VEC ("8, 8", "FP16"), "pl.tile.rsqrt(a, t)", NULL, "same shape" },
  { "a: " VEC ("8, 16", "FP16"), "pl.tile.cast(a, target_type=pl.FP32, mode='round')", VEC ("8, 16", "FP32"), NULL },
  { "a: " VEC ("8, 16", "FP16"), "pl.tile.cast(a, target_type=pl.FP16, mode='round')", NULL, "is FP16 already" },
  { "a: pl.Tile[[8, 16], pl.FP16, pl.Mem.Vec, pl.TileView(valid_shape=[5, 16])]", "pl.tile.exp(a)",
    "pl.Tile[[8, 16], pl.FP16, pl.Mem.Vec, pl.TileView(valid_shape=[5, 16])]", NULL },
  { "a: " IN_SPACE ("16, 16", "FP32", "Acc"), "pl.tile.exp(a)",
    "pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major)]", NULL },

  /* 3: broadcast */
  { "a: " VEC ("8, 16", "FP16") ", v: " VEC ("8, 1", "FP32"), "pl.tile.row_expand_mul(a, v)", VEC ("8, 16", "FP32"), NULL },
  { "a: " VEC ("8, 16", "FP16") ", v: " VEC ("8, 1", "FP32"), "pl.tile.row_expand_add(a, v)", NULL, "same element type" },
  { "a: " VEC ("8, 16", "BF16") ", v: " VEC ("8, 1", "BF16"), "pl.tile.row_expand_add(a, v)", NULL, "BF16 is not allowed" },
  { "a: " VEC ("8, 16", "FP32") ", v: " VEC ("8, 1", "FP32"), "pl.tile.row_expand_add(a, v)", VEC ("8, 16", "FP32"), NULL },
  { "a: " VEC ("8, 16", "FP32") ", v: " VEC ("8, 8", "FP32"), "pl.tile.row_expand_add(a, v)", VEC ("8, 16", "FP32"), NULL },
  { "a: " VEC ("8, 16", "FP32") ", v: " VEC ("8, 16", "FP32"), "pl.tile.row_expand_add(a, v)", NULL, "one valid column" },
  { "a: pl.Tile[[8, 16], pl.FP32, pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major)], v: " VEC ("8, 1", "FP32"),
    "pl.tile.row_expand_add(a, v)", NULL, "row-major" },
  { "a: " VEC ("8, 16", "INT32") ", n: pl.Scalar[pl.FP32]", "pl.tile.expands(a, n)", VEC ("8, 16", "FP32"), NULL },

  /* 4: reductions */
  { "a: " VEC ("8, 16", "FP32") ", t: " VEC ("8, 16", "FP32"), "pl.tile.row_sum(a, t)", VEC ("8, 1", "FP32"), NULL },
  { "a: " VEC ("1, 16", "FP32") ", t: " VEC ("1, 16", "FP32"), "pl.tile.row_max(a, t)",
    "pl.Tile[[1, 1], pl.FP32, pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major)]", NULL },
  { "a: " VEC ("8, 16", "FP32") ", t: " VEC ("8, 8", "FP32"), "pl.tile.row_sum(a, t)", NULL, "must not be smaller" },
  { "a: " VEC ("8, 16", "FP32") ", t: " VEC ("8, 16", "FP16"), "pl.tile.row_sum(a, t)", NULL, "element type and rank" },
  { "a: " VEC ("8, 16", "INT8") ", t: " VEC ("8, 16", "INT8"), "pl.tile.row_min(a, t)", NULL, "INT8 is not allowed" },
  { "a: " VEC ("8, 16", "FP32") ", t: " VEC ("8, 16", "FP32"), "pl.tile.row_argmax(a, t)", VEC ("8, 1", "INT32"), NULL },
  { "a: " VEC ("8, 16", "FP32") ", t: " VEC ("8, 32", "FP32"), "pl.tile.row_argmax(a, t)", NULL, "same shape" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.col_max(a)", VEC ("1, 16", "FP32"), NULL },
  { "a: " VEC ("8, 16", "FP32") ", t: " VEC ("8, 16", "FP32"), "pl.tile.col_argmin(a, t)", VEC ("1, 16", "INT32"), NULL },

  /* 5: select, compare, pad */
  { "m: " VEC ("8, 32", "UINT8") ", a: " VEC ("8, 16", "FP16") ", b: " VEC ("8, 16", "FP32") ", t: " VEC ("1, 32", "UINT8"),
    "pl.tile.sel(m, a, b, t)", VEC ("8, 16", "FP32"), NULL },
  { "m: " VEC ("8, 1", "UINT8") ", a: " VEC ("8, 16", "FP16") ", t: " VEC ("1, 32", "UINT8") ", n: pl.Scalar[pl.FP16]",
    "pl.tile.sels(m, a, t, n)", NULL, "does not cover" },
  { "m: " VEC ("8, 2", "UINT8") ", a: " VEC ("8, 16", "UINT16") ", t: " VEC ("1, 32", "UINT8") ", n: pl.Scalar[pl.UINT16]",
    "pl.tile.sels(m, a, t, n)", NULL, "signed counterpart" },
  { "m: " VEC ("8, 2", "UINT8") ", a: " VEC ("8, 16", "UINT16") ", t: " VEC ("1, 32", "UINT8") ", n: pl.Scalar[pl.INT16]",
    "pl.tile.sels(m, a, t, n)", VEC ("8, 16", "UINT16"), NULL },
  { "a: pl.Tile[[8, 16], pl.FP16, pl.Mem.Vec, pl.TileView(valid_shape=[5, 16])]", "pl.tile.fillpad(a, pad_value=pl.PadValue.max)",
    "pl.Tile[[8, 16], pl.FP16, pl.Mem.Vec, pl.TileView(pad=pl.PadValue.max)]", NULL },
  { "a: " VEC ("8, 16", "FP16"), "pl.tile.fillpad_expand(a, [16, 16], pad_value=pl.PadValue.zero)",
    "pl.Tile[[16, 16], pl.FP16, pl.Mem.Vec, pl.TileView(pad=pl.PadValue.zero)]", NULL },
  { "a: " VEC ("8, 16", "FP16"), "pl.tile.fillpad_expand(a, [4, 16], pad_value=pl.PadValue.zero)", NULL, "no smaller" },

  /* 6: gathers, scatters, sorts */
  { "a: " VEC ("8, 16", "FP16") ", i: " VEC ("4, 8", "INT32") ", t: " VEC ("4, 8", "INT32"), "pl.tile.gather(a, i, t)",
    VEC ("4, 8", "FP16"), NULL },
  { "a: " VEC ("8, 16", "FP16") ", i: " VEC ("1, 8", "UINT32"), "pl.tile.gatherb(a, i)", VEC ("1, 128", "FP16"), NULL },
  { "a: " VEC ("8, 16", "FP16") ", i: " VEC ("1, 12", "UINT32"), "pl.tile.gatherb(a, i)", NULL, "multiple of 8" },
  { "a: " VEC ("8, 16", "FP16") ", i: " VEC ("1, 8", "INT32"), "pl.tile.gatherb(a, i)", NULL, "must be UINT32" },
  { "a: " VEC ("8, 16", "FP16"), "pl.tile.gather_mask(a, mask_pattern=2)", VEC ("8, 8", "FP16"), NULL },
  { "a: " VEC ("8, 16", "FP16"), "pl.tile.gather_mask(a, mask_pattern=3)", VEC ("8, 4", "FP16"), NULL },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.gather_mask(a, mask_pattern=7, output_dtype=pl.UINT32)", VEC ("8, 16", "UINT32"), NULL },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.gather_mask(a, mask_pattern=7, output_dtype=pl.FP16)", NULL, "as wide as" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.gather_mask(a, mask_pattern=8)", NULL, "1 to 7" },
  { "a: " VEC ("8, 16", "FP32") ", k: " VEC ("8, 1", "FP32") ", t: " VEC ("8, 16", "FP32"),
    "pl.tile.gather_compare(a, k, t, cmp_mode=0, offset=0, out_cols=4)",
    "pl.Tuple[" VEC ("8, 4", "INT32") ", " VEC ("1, 8", "INT32") "]", NULL },
  { "d: " VEC ("8, 16", "FP16") ", s: " VEC ("8, 16", "FP16") ", i: " VEC ("8, 16", "INT32"), "pl.tile.scatter(d, s, i)", NULL,
    "4 bytes wide" },
  { "d: " VEC ("8, 16", "FP16") ", s: " VEC ("8, 16", "FP16") ", i: " VEC ("8, 16", "INT16"), "pl.tile.scatter(d, s, i)",
    VEC ("8, 16", "FP16"), NULL },
  { "a: " VEC ("1, 128", "FP32") ", b: " VEC ("1, 128", "FP32") ", t: " VEC ("1, 256", "FP32"),
    "pl.tile.mrgsort_format2(a, b, t, exhausted=False)", VEC ("1, 256", "FP32"), NULL },
  { "m: " TENSOR ("100, 64", "FP16") ", i: " VEC ("1, 8", "INT32"), "pl.tile.mgather(m, i, coalesce='row')", VEC ("8, 64", "FP16"),
    NULL },
  { "m: " TENSOR ("100, 64", "FP16") ", i: " VEC ("4, 8", "INT32"), "pl.tile.mgather(m, i, coalesce='elem')", VEC ("4, 8", "FP16"),
    NULL },
  { "s: " VEC ("4, 8", "FP32") ", i: " VEC ("4, 8", "INT32") ", o: " TENSOR ("100", "FP32"), "pl.tile.mscatter(s, i, o)",
    TENSOR ("100", "FP32"), NULL },
  { "s: " VEC ("4, 8", "FP32") ", i: " VEC ("4, 4", "INT32") ", o: " TENSOR ("100", "FP32"), "pl.tile.mscatter(s, i, o)", NULL,
    "source's shape" },

  { "m: " TENSOR ("100, 64", "FP16") ", i: " VEC ("1, 16", "INT32"), "pl.tile.mgather(m, i, target_memory=pl.Mem.Mat)", NULL,
    "in global memory" },
  { "m: " TENSOR ("100, 64", "FP16") ", i: " TENSOR ("1, 16", "INT32"), "pl.tile.mgather(m, i, target_memory=pl.Mem.Mat)",
    IN_SPACE ("16, 64", "FP16", "Mat"), NULL },
  { "m: " TENSOR ("100, 64", "FP16") ", i: " TENSOR ("1, 8", "INT32"), "pl.tile.mgather(m, i, target_memory=pl.Mem.Mat)", NULL,
    "multiple of 16" },
  { "m: " TENSOR ("100, 64", "FP16") ", i: " TENSOR ("16, 16", "INT32"),
    "pl.tile.mgather(m, i, coalesce='elem', target_memory=pl.Mem.Mat)", NULL, "scratch" },
  { "a: " VEC ("1, 128", "FP32"), "pl.tile.mrgsort_format1(a, 32)", NULL, "multiple of 64" },
  { "a: " VEC ("1, 128", "FP32"), "pl.tile.mrgsort_format1(a, 64)", VEC ("1, 128", "FP32"), NULL },

  /* 7: generators */
  { "k: pl.Scalar[pl.INT32]", "pl.tile.random(k, k, k, k, k, k, [8, 16], [8, 16], dtype=pl.UINT32, rounds=8)", NULL, "7 or 10" },
  { "k: pl.Scalar[pl.INT32]", "pl.tile.random(k, k, k, k, k, k, [8, 16], [4, 16], dtype=pl.UINT32, rounds=7)",
    "pl.Tile[[8, 16], pl.UINT32, pl.Mem.Vec, pl.TileView(valid_shape=[4, 16])]", NULL },
  { "", "pl.tile.full([4, 8], dtype=pl.FP16, value=1.0)", VEC ("4, 8", "FP16"), NULL },
  { "n: pl.Scalar[pl.INDEX]", "pl.tile.full([n, 8], dtype=pl.FP16, value=1.0)", NULL, "positive constants" },
  { "", "pl.tile.ci(0, [1, 32], dtype=pl.INT32, descending=False)", VEC ("1, 32", "INT32"), NULL },
  { "", "pl.tile.ci(0, [2, 32], dtype=pl.INT32, descending=False)", NULL, "leading dimensions" },
  { "", "pl.tile.ci(0, [1, 32], dtype=pl.FP32, descending=False)", NULL, "FP32 is not allowed" },

  /* 8: cube */
  { "a: " IN_SPACE ("16, 64", "BF16", "Left") ", b: " IN_SPACE ("64, 32", "BF16", "Right"), "pl.tile.matmul(a, b)",
    IN_SPACE ("16, 32", "FP32", "Acc"), NULL },
  { "a: " IN_SPACE ("16, 64", "BF16", "Left") ", b: " IN_SPACE ("64, 32", "FP16", "Right"), "pl.tile.matmul(a, b)", NULL,
    "same element type" },
  { "a: " IN_SPACE ("16, 64", "BF16", "Left") ", b: " IN_SPACE ("32, 32", "BF16", "Right"), "pl.tile.matmul(a, b)", NULL,
    "inner dimensions differ: 64 and 32" },
  { "a: pl.Tile[[16, 64], pl.BF16, pl.Mem.Left, pl.TileView(valid_shape=[7, 64])], b: " IN_SPACE ("64, 32", "BF16", "Right"),
    "pl.tile.matmul(a, b)", "pl.Tile[[16, 32], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[7, 32])]", NULL },
  { "c: " IN_SPACE ("16, 32", "FP32", "Acc") ", a: " IN_SPACE ("16, 64", "BF16", "Left") ", b: "
      IN_SPACE ("64, 32", "BF16", "Right"), "pl.tile.matmul_acc(c, a, b)", IN_SPACE ("16, 32", "FP32", "Acc"), NULL },
  { "a: " IN_SPACE ("16, 64", "BF16", "Left") ", b: " IN_SPACE ("64, 32", "BF16", "Right"), "pl.tile.gemv(a, b)", NULL, "one row" },
  { "a: " IN_SPACE ("1, 64", "BF16", "Left") ", b: " IN_SPACE ("64, 32", "BF16", "Right"), "pl.tile.gemv(a, b)",
    IN_SPACE ("1, 32", "FP32", "Acc"), NULL },
  { "a: " IN_SPACE ("3, 16, 64", "BF16", "Left") ", b: " IN_SPACE ("1, 64, 32", "BF16", "Right"), "pl.tile.batch_matmul(a, b)",
    IN_SPACE ("3, 16, 32", "FP32", "Acc"), NULL },
  { "a: " IN_SPACE ("16, 64", "FP8E4M3FN", "Left") ", s: " IN_SPACE ("16, 2", "FP8E8M0", "LeftScale") ", b: "
      IN_SPACE ("64, 32", "FP8E4M3FN", "Right") ", t: " IN_SPACE ("2, 32", "FP8E8M0", "RightScale"),
    "pl.tile.matmul_mx(a, s, b, t)", IN_SPACE ("16, 32", "FP32", "Acc"), NULL },
  { "a: " IN_SPACE ("16, 32", "FP8E4M3FN", "Left") ", s: " IN_SPACE ("16, 1", "FP8E8M0", "LeftScale") ", b: "
      IN_SPACE ("32, 32", "FP8E4M3FN", "Right") ", t: " IN_SPACE ("1, 32", "FP8E8M0", "RightScale"),
    "pl.tile.matmul_mx(a, s, b, t)", NULL, "K of 64" },

  { "a: " IN_SPACE ("16, 64", "BF16", "Left") ", b: " IN_SPACE ("64, 32", "BF16", "Right") ", v: " IN_SPACE ("1, 32", "FP32",
    "Bias"),
    "pl.tile.matmul_bias(a, b, v)", IN_SPACE ("16, 32", "FP32", "Acc"), NULL },
  { "a: " IN_SPACE ("16, 64", "BF16", "Left") ", b: " IN_SPACE ("64, 32", "BF16", "Right") ", v: " IN_SPACE ("1, 16", "FP32",
    "Bias"),
    "pl.tile.matmul_bias(a, b, v)", NULL, "as wide as" },
  { "a: " IN_SPACE ("16, 64", "INT8", "Left") ", b: " IN_SPACE ("64, 32", "INT8", "Right") ", v: " IN_SPACE ("1, 32", "FP32",
    "Bias"),
    "pl.tile.matmul_bias(a, b, v)", NULL, "accumulator's element type" },

  /* 9: movement */
  { "t: " VEC ("8, 64", "UINT8") ", y: " TENSOR ("64, 64", "UINT8"), "pl.tile.store(t, [0, 0], y, atomic=1)", NULL,
    "atomic addition" },
  { "t: " VEC ("8, 64", "BF16") ", y: " TENSOR ("64, 64", "BF16"), "pl.tile.store(t, [0, 0], y, atomic=1)", TENSOR ("64, 64",
    "BF16"),
    NULL },
  { "x: " TENSOR ("64, 64", "FP32"), "pl.tile.load(x, [32, 0], [32, 64], [32, 64], target_memory=pl.Mem.Vec)", VEC ("32, 64",
    "FP32"),
    NULL },
  { "x: " TENSOR ("64, 64", "FP32"), "pl.tile.load(x, [48, 0], [32, 64], [32, 64], target_memory=pl.Mem.Vec)", NULL,
    "past the end of dimension 0: 48 + 32 is more than 64" },
  { "x: " TENSOR ("64, 64", "FP32"), "pl.tile.load(x, [48, 0], [32, 64], [16, 64], target_memory=pl.Mem.Vec)",
    "pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[16, 64])]", NULL },
  { "x: " TENSOR ("64, 64", "FP32"), "pl.tile.load(x, [48, 0], [32, 64], [32, 64], target_memory=pl.Mem.Vec, clamp=True)",
    "pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[16, 64])]", NULL },
  { "x: pl.Tensor[[64, 64], pl.FP32, pl.TensorView(valid_shape=[40, 64], stride=[], layout=pl.TensorLayout.ND)]",
    "pl.tile.load(x, [32, 0], [32, 64], [32, 64], target_memory=pl.Mem.Vec)",
    "pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[8, 64])]", NULL },
  { "x: " TENSOR ("64, 64", "FP32"), "pl.tile.load(x, [0, 0], [32, 64], [32, 64], target_memory=pl.Mem.Mat)",
    IN_SPACE ("32, 64", "FP32", "Mat"), NULL },
  { "x: pl.Tensor[[64, 64], pl.FP32, pl.TensorView(stride=[1, 64], layout=pl.TensorLayout.DN)]",
    "pl.tile.load(x, [0, 0], [32, 64], [32, 64], target_memory=pl.Mem.Mat)",
    "pl.Tile[[32, 64], pl.FP32, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.col_major)]", NULL },
  { "x: " TENSOR ("64, 64", "FP32"), "pl.tile.load(x, [0, 0], [1, 64], [1, 64], target_memory=pl.Mem.Mat)",
    "pl.Tile[[1, 64], pl.FP32, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)]", NULL },
  { "x: pl.Tensor[[16, 2], pl.FP8E8M0, pl.TensorView(stride=[], layout=pl.TensorLayout.MX_A_ZZ)]",
    "pl.tile.load(x, [0, 0], [16, 2], [16, 2], target_memory=pl.Mem.Vec)", NULL, "into Mat only" },
  { "t: " VEC ("32, 64", "FP32") ", y: " TENSOR ("64, 64", "FP32"), "pl.tile.store(t, [0, 0], y)", TENSOR ("64, 64", "FP32"),
    NULL },
  { "a: pl.Tile[[16, 64], pl.FP32, pl.Mem.Mat, pl.TileView(valid_shape=[7, 64], pad=pl.PadValue.zero)]",
    "pl.tile.move(a, target_memory=pl.Mem.Left)",
    "pl.Tile[[16, 64], pl.FP32, pl.Mem.Left, pl.TileView(valid_shape=[7, 64], pad=pl.PadValue.zero)]", NULL },
  { "a: " VEC ("16, 2", "UINT8"), "pl.tile.move(a, target_memory=pl.Mem.LeftScale)", NULL, "from Mat only" },
  { "a: " IN_SPACE ("16, 2", "UINT8", "Mat"), "pl.tile.move(a, target_memory=pl.Mem.LeftScale)",
    IN_SPACE ("16, 2", "FP8E8M0", "LeftScale"), NULL },
  { "a: " IN_SPACE ("64, 64", "FP16", "Mat"), "pl.tile.extract(a, 0, 0, [32, 64], target_memory=pl.Mem.Left)",
    "pl.Tile[[32, 64], pl.FP16, pl.Mem.Left, pl.TileView(blayout=pl.TileLayout.row_major)]", NULL },
  { "a: " IN_SPACE ("64, 64", "FP16", "Mat"), "pl.tile.extract(a, 48, 0, [32, 64], target_memory=pl.Mem.Left)", NULL,
    "past the end" },
  { "a: " VEC ("64, 64", "FP16") ", b: " VEC ("8, 64", "FP32"), "pl.tile.assemble(a, b, [0, 0])", VEC ("64, 64", "FP16"), NULL },
  { "a: " VEC ("64, 64", "FP32") ", b: " VEC ("8, 64", "FP16"), "pl.tile.assemble(a, b, [0, 0])", NULL, "FP32 into BF16" },
  { "a: " VEC ("8, 16", "FP32") ", b: " VEC ("8, 32", "FP32"), "pl.tile.concat(a, b)", VEC ("8, 48", "FP32"), NULL },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.transpose(a, 0, -1)", VEC ("16, 8", "FP32"), NULL },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.transpose(a, 0, 2)", NULL, "within the 2 dimensions" },

  /* 10: views */
  { "a: " VEC ("32, 64", "FP32"), "pl.tile.slice(a, [16, 64], [16, 0])", VEC ("16, 64", "FP32"), NULL },
  { "a: " VEC ("32, 64", "FP32"), "pl.tile.slice(a, [16, 64], [24, 0])", NULL, "past the end" },
  { "a: " VEC ("32, 64", "FP32"), "pl.tile.slice(a, [16, 64], [-1, 0])", NULL, "is negative" },
  { "a: pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[20, 64])]", "pl.tile.slice(a, [16, 64], [16, 0])",
    "pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[4, 64])]", NULL },
  { "a: " VEC ("4, 32, 64", "FP32"), "pl.tile.slice(a, [1, 16, 64], [1, 0, 0], [], [0])", VEC ("16, 64", "FP32"), NULL },
  { "a: " VEC ("32, 64", "FP32"), "pl.tile.slice(a, [1, 64], [1, 0], [], [0])", VEC ("1, 64", "FP32"), NULL },
  { "a: " VEC ("32, 64", "FP32"), "pl.tile.slice(a, [2, 64], [1, 0], [], [0])", NULL, "extent 1" },
  { "a: " VEC ("32, 64", "FP32"), "pl.tile.reshape(a, [64, 32])", VEC ("64, 32", "FP32"), NULL },
  { "a: " VEC ("32, 64", "FP32"), "pl.tile.reshape(a, [64, 64])", NULL, "2048 elements cannot become 4096" },
  { "a: " VEC ("32, 64", "FP32"), "pl.tile.reinterpret_view(a, dtype=pl.INT16)", VEC ("32, 128", "INT16"), NULL },
  { "a: " VEC ("32, 64", "FP16"), "pl.tile.reinterpret_view(a, dtype=pl.FP32, shape=[16, 64])", VEC ("16, 64", "FP32"), NULL },
  { "a: " VEC ("32, 64", "FP16"), "pl.tile.reinterpret_view(a, dtype=pl.FP32, shape=[32, 64])", NULL, "bytes differ" },
  { "a: " VEC ("8, 7", "FP16"), "pl.tile.reinterpret_view(a, dtype=pl.FP32)", NULL, "does not divide" },
  { "a: " IN_SPACE ("16, 64", "FP16", "Mat"), "pl.tile.transpose_view(a)",
    "pl.Tile[[64, 16], pl.FP16, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.col_major)]", NULL },
  { "a: " VEC ("8, 16", "FP32") ", n: pl.Scalar[pl.INDEX]", "pl.tile.set_validshape(a, n, 16)",
    "pl.Tile[[8, 16], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[n, 16])]", NULL },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.set_validshape(a, 9, 16)", NULL, "out of range" },
  { "", "pl.tile.create([64, 64], dtype=pl.FP16, target_memory=pl.Mem.Mat, transpose=True)",
    "pl.Tile[[64, 64], pl.FP16, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.col_major)]", NULL },
  { "", "pl.tile.create([64, 64], dtype=pl.FP8E8M0, target_memory=pl.Mem.LeftScale)", NULL, "scale spaces" },
  { "", "pl.tile.create([64, 64], dtype=pl.FP16, target_memory=pl.Mem.Vec, transpose=True)", NULL, "for Mat only" },
  { "", "pl.tile.alloc(pl.Mem.Vec, 8192)", "pl.Ptr", NULL },

  /* 11: scalars and shares */
  { "a: " VEC ("8, 16", "FP16"), "pl.tile.read(a, [0, 0])", "pl.Scalar[pl.FP16]", NULL },
  { "a: " VEC ("8, 16", "FP16") ", n: pl.Scalar[pl.FP16]", "pl.tile.write(a, [0, 0], n)", VEC ("8, 16", "FP16"), NULL },
  { "a: " VEC ("8, 16", "FP16") ", n: pl.Scalar[pl.FP32]", "pl.tile.write(a, [0, 0], n)", NULL, "the element type of" },
  { "", "pl.tile.get_block_idx()", "pl.Scalar[pl.INDEX]", NULL },
  { "a: " IN_SPACE ("15, 64", "FP32", "Acc"), "pl.tile.aiv_shard(a, split=1)", VEC ("8, 64", "FP32"), NULL },
  { "a: " VEC ("8, 64", "FP32"), "pl.tile.aic_gather(a, split=2)", IN_SPACE ("8, 128", "FP32", "Mat"), NULL },

  /* tensors */
  { "a: " TENSOR ("16, 64", "BF16") ", b: " TENSOR ("32, 64", "BF16"),
    "pl.tensor.matmul(a, b, a_trans=False, b_trans=True, c_matrix_nz=False, out_dtype=pl.FP32)", TENSOR ("16, 32", "FP32"), NULL },
  { "a: " TENSOR ("16, 64", "BF16") ", b: " TENSOR ("1, 64", "FP32"), "pl.tensor.add(a, b)", TENSOR ("16, 64", "FP32"), NULL },
  { "a: " TENSOR ("64, 128", "FP32"), "pl.tensor.slice(a, [1, 128], [3, 0], [], [0])", TENSOR ("128", "FP32"), NULL },
  { "a: " TENSOR ("64, 128", "FP32"), "pl.tensor.row_sum(a)", TENSOR ("64, 1", "FP32"), NULL },
  { "", "pl.tensor.create([64, 128], dtype=pl.FP16, layout=pl.TensorLayout.ND)", TENSOR ("64, 128", "FP16"), NULL },
  { "a: pl.Array[4, pl.INT32]", "pl.array.get_element(a, 1)", "pl.Scalar[pl.INT32]", NULL },
};

static void
test_types (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (type_cases); i++)
    {
      const TypeCase        *c = &type_cases[i];
      g_auto (Kernel)        kernel = read_kernel (c->parameters, c->call);
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      const TsType          *type = ts_infer_result (kernel.module, kernel.op, diags, kernel.op->span);
      g_autofree char       *text = type != NULL ? ts_pypto_print_type (kernel.module, type) : NULL;
      const char            *said = ts_diag_list_has_errors (diags) ? ts_diag_list_get (diags, 0)->message : "";
      g_test_message ("%s with %s: %s%s", c->call, c->parameters, text != NULL ? text : "", said);
      g_assert_cmpstr (text, ==, c->type);
      g_assert_cmpint (ts_diag_list_has_errors (diags), ==, c->error != NULL);
      if (c->error != NULL)
        g_assert_nonnull (strstr (said, c->error));
    }
}

/* --- pipes, categories, aliasing ------------------------------------------------------------------------------------------ */

typedef struct
{
  const char *parameters, *statement;
  TsBackend   backend;
  TsPipe      pipe;
  gboolean    known;
  TsCategory  category;
} PipeCase;

#define ANY2 TS_BACKEND_A2A3
#define ANY5 TS_BACKEND_A5

static const PipeCase pipe_cases[] = {
  /* ops.md 13: 3, 4, 11 */
  { "a: " IN_SPACE ("16, 16", "FP16", "Mat"), IN_SPACE ("16, 16", "FP16", "Left") " = pl.tile.move(a, target_memory=pl.Mem.Left)",
    ANY2, TS_PIPE_MTE1, TRUE, TS_CATEGORY_COMPUTE },
  { "a: " VEC ("16, 16", "FP16"), IN_SPACE ("16, 16", "FP16", "Mat") " = pl.tile.move(a, target_memory=pl.Mem.Mat)", ANY2,
    TS_PIPE_NONE, FALSE, TS_CATEGORY_COMPUTE },
  { "a: " VEC ("16, 16", "FP16"), IN_SPACE ("16, 16", "FP16", "Mat") " = pl.tile.move(a, target_memory=pl.Mem.Mat)", ANY5,
    TS_PIPE_MTE3, TRUE, TS_CATEGORY_COMPUTE },
  { "a: " IN_SPACE ("16, 16", "FP32", "Acc") ", y: " TENSOR ("16, 16", "FP32"),
    TENSOR ("16, 16", "FP32") " = pl.tile.store(a, [0, 0], y)", ANY2, TS_PIPE_FIX, TRUE, TS_CATEGORY_STORE },
  { "a: " VEC ("16, 16", "FP32") ", y: " TENSOR ("16, 16", "FP32"), TENSOR ("16, 16", "FP32") " = pl.tile.store(a, [0, 0], y)",
    ANY2,
    TS_PIPE_MTE3, TRUE, TS_CATEGORY_STORE },
  { "a: " IN_SPACE ("16, 16", "FP16", "Mat"),
    IN_SPACE ("16, 16", "FP16", "Right") " = pl.tile.extract(a, 0, 0, [16, 16], target_memory=pl.Mem.Right)", ANY2, TS_PIPE_MTE1,
    TRUE,
    TS_CATEGORY_LOAD },
  /* extract elsewhere */
  { "a: " IN_SPACE ("16, 16", "FP32", "Acc"),
    IN_SPACE ("16, 16", "FP32", "Mat") " = pl.tile.extract(a, 0, 0, [16, 16], target_memory=pl.Mem.Mat)", ANY2, TS_PIPE_FIX, TRUE,
    TS_CATEGORY_COMPUTE },
  { "a: " VEC ("16, 16", "FP32"), VEC ("8, 16", "FP32") " = pl.tile.extract(a, 0, 0, [8, 16], target_memory=pl.Mem.Vec)", ANY2,
    TS_PIPE_V, TRUE, TS_CATEGORY_COMPUTE },
  /* loads, moves within a space, Acc to Acc */
  { "x: " TENSOR ("16, 16", "FP32"),
    VEC ("16, 16", "FP32") " = pl.tile.load(x, [0, 0], [16, 16], [16, 16], target_memory=pl.Mem.Vec)", ANY2, TS_PIPE_MTE2, TRUE,
    TS_CATEGORY_LOAD },
  { "x: " TENSOR ("16, 16", "FP32"),
    IN_SPACE ("16, 16", "FP32", "Mat") " = pl.tile.load(x, [0, 0], [16, 16], [16, 16], target_memory=pl.Mem.Mat)", ANY2,
    TS_PIPE_MTE2,
    TRUE, TS_CATEGORY_LOAD },
  { "a: " VEC ("16, 16", "FP32"), VEC ("16, 16", "FP32") " = pl.tile.move(a, target_memory=pl.Mem.Vec)", ANY2, TS_PIPE_V, TRUE,
    TS_CATEGORY_COMPUTE },
  { "a: " IN_SPACE ("16, 16", "FP32", "Acc"), IN_SPACE ("16, 16", "FP32", "Acc") " = pl.tile.move(a, target_memory=pl.Mem.Acc)",
    ANY2,
    TS_PIPE_V, TRUE, TS_CATEGORY_COMPUTE },
  { "a: " IN_SPACE ("16, 16", "FP32", "Acc"), VEC ("16, 16", "FP32") " = pl.tile.move(a, target_memory=pl.Mem.Vec)", ANY5,
    TS_PIPE_FIX,
    TRUE, TS_CATEGORY_COMPUTE },
  /* compute */
  { "a: " VEC ("16, 16", "FP32"), VEC ("16, 16", "FP32") " = pl.tile.exp(a)", ANY2, TS_PIPE_V, TRUE, TS_CATEGORY_COMPUTE },
  { "a: " IN_SPACE ("16, 16", "FP16", "Left") ", b: " IN_SPACE ("16, 16", "FP16", "Right"),
    IN_SPACE ("16, 16", "FP32", "Acc") " = pl.tile.matmul(a, b)", ANY2, TS_PIPE_M, TRUE, TS_CATEGORY_COMPUTE },
  { "", VEC ("16, 16", "FP32") " = pl.tile.full([16, 16], dtype=pl.FP32, value=0.0)", ANY2, TS_PIPE_V, TRUE, TS_CATEGORY_COMPUTE },
  { "a: " IN_SPACE ("16, 16", "FP32", "Mat") ", b: " IN_SPACE ("8, 16", "FP32", "Acc"),
    IN_SPACE ("16, 16", "FP32", "Mat") " = pl.tile.assemble(a, b, [0, 0])", ANY2, TS_PIPE_FIX, TRUE, TS_CATEGORY_ASSEMBLE },
  { "a: " VEC ("16, 16", "FP32") ", b: " VEC ("8, 16", "FP32"), VEC ("16, 16", "FP32") " = pl.tile.assemble(a, b, [0, 0])", ANY2,
    TS_PIPE_V, TRUE, TS_CATEGORY_ASSEMBLE },
  { "s: " VEC ("4, 8", "FP32") ", i: " VEC ("4, 8", "INT32") ", o: " TENSOR ("100", "FP32"),
    TENSOR ("100", "FP32") " = pl.tile.mscatter(s, i, o)", ANY2, TS_PIPE_MTE3, TRUE, TS_CATEGORY_COMPUTE },
  { "m: " TENSOR ("100, 64", "FP16") ", i: " VEC ("1, 8", "INT32"), VEC ("8, 64",
    "FP16") " = pl.tile.mgather(m, i, coalesce='row')",
    ANY2, TS_PIPE_MTE2, TRUE, TS_CATEGORY_COMPUTE },
  /* no hardware access */
  { "a: " VEC ("32, 64", "FP32"), VEC ("16, 64", "FP32") " = pl.tile.slice(a, [16, 64], [16, 0])", ANY2, TS_PIPE_NONE, TRUE,
    TS_CATEGORY_COMPUTE },
  { "", "pl.Scalar[pl.INDEX] = pl.tile.get_block_idx()", ANY2, TS_PIPE_NONE, TRUE, TS_CATEGORY_SCALAR },
  { "a: " VEC ("16, 16", "FP32"), VEC ("16, 16", "FP32") " = a", ANY2, TS_PIPE_NONE, TRUE, TS_CATEGORY_COMPUTE },
  /* scalars */
  { "n: pl.Scalar[pl.INDEX]", "pl.Scalar[pl.INDEX] = n * 2", ANY2, TS_PIPE_S, TRUE, TS_CATEGORY_SCALAR },
  { "a: " VEC ("16, 16", "FP32"), "pl.Scalar[pl.FP32] = pl.tile.read(a, [0, 0])", ANY2, TS_PIPE_S, FALSE, TS_CATEGORY_LOAD },
  { "a: " VEC ("16, 16", "FP32") ", n: pl.Scalar[pl.FP32]", VEC ("16, 16", "FP32") " = pl.tile.write(a, [0, 0], n)", ANY2,
    TS_PIPE_V,
    TRUE, TS_CATEGORY_STORE },
  /* cross-core: only the fallback answers, but for the pop into Vec */
  { "a: " IN_SPACE ("16, 16", "FP32", "Acc"), "pl.UnknownType = pl.tile.tpush_to_aiv(a, split=0)", ANY2, TS_PIPE_S, FALSE,
    TS_CATEGORY_COMPUTE },
  { "a: " VEC ("16, 16", "FP32"), "pl.UnknownType = pl.tile.tpush_to_aic(a, split=0)", ANY2, TS_PIPE_V, FALSE,
    TS_CATEGORY_COMPUTE },
  { "", VEC ("16, 16", "FP32") " = pl.tile.tpop_from_aic(split=0)", ANY2, TS_PIPE_V, TRUE, TS_CATEGORY_COMPUTE },
  { "", IN_SPACE ("16, 16", "FP32", "Mat") " = pl.tile.tpop_from_aiv(split=0)", ANY2, TS_PIPE_S, FALSE, TS_CATEGORY_COMPUTE },
  { "a: " IN_SPACE ("16, 16", "FP32", "Mat"), IN_SPACE ("16, 16", "FP32", "Mat") " = pl.tile.transpose(a, 0, 1)", ANY2, TS_PIPE_S,
    FALSE, TS_CATEGORY_COMPUTE },
  /* before spaces are known: simulator.md 1 */
  { "x: " TENSOR ("32", "FP32"), "pl.Tile[[32], pl.FP32] = pl.tile.load(x, [0], [32])", ANY2, TS_PIPE_MTE2, TRUE,
    TS_CATEGORY_LOAD },
  { "a: pl.Tile[[32], pl.FP32], y: " TENSOR ("32", "FP32"), TENSOR ("32", "FP32") " = pl.tile.store(a, [0], y)", ANY2, TS_PIPE_MTE3,
    TRUE, TS_CATEGORY_STORE },
  { "a: pl.Tile[[32, 32], pl.FP32], b: pl.Tile[[32, 32], pl.FP32]", "pl.Tile[[32, 32], pl.FP32] = pl.tile.matmul(a, b)", ANY2,
    TS_PIPE_M, TRUE, TS_CATEGORY_COMPUTE },
  { "a: pl.Tile[[32, 32], pl.FP32]", "pl.Tile[[32, 32], pl.FP32] = pl.tile.move(a, target_memory=pl.Mem.Left)", ANY2, TS_PIPE_V,
    TRUE,
    TS_CATEGORY_COMPUTE },
  { "a: pl.Tile[[32, 32], pl.FP32]", "pl.Tile[[32, 32], pl.FP32] = pl.tile.reshape(a, [32, 32])", ANY2, TS_PIPE_NONE, TRUE,
    TS_CATEGORY_COMPUTE },
  /* nobody knows the operation */
  { "a: " VEC ("16, 16", "FP32"), VEC ("16, 16", "FP32") " = pl.tile.something_new(a)", ANY2, TS_PIPE_V, FALSE,
    TS_CATEGORY_COMPUTE },
};

static void
test_pipes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (pipe_cases); i++)
    {
      const PipeCase *c = &pipe_cases[i];
      g_auto (Kernel) kernel = read_kernel (c->parameters, c->statement);
      gboolean        known;
      g_test_message ("%s", c->statement);
      g_assert_cmpint (ts_op_pipe (kernel.op, c->backend, &known), ==, c->pipe);
      g_assert_cmpint (known, ==, c->known);
      g_assert_cmpint (ts_op_category (kernel.op), ==, c->category);
    }
}

typedef struct
{
  const char *parameters, *statement;
  TsBackend   backend;
  guint       forbidden; /* bit of each argument the output may not share memory with */
  gint        shared;    /* argument whose memory the result is */
} AliasCase;

#define ALL 15u

static const AliasCase alias_cases[] = {
  /* ops.md 13: 6, 7, 8 */
  { "c: " IN_SPACE ("16, 16", "FP32", "Acc") ", a: " IN_SPACE ("16, 16", "FP16", "Left") ", b: "
      IN_SPACE ("16, 16", "FP16", "Right"), IN_SPACE ("16, 16", "FP32", "Acc") " = pl.tile.matmul_acc(c, a, b)", ANY2, 0, 0 },
  { "a: " VEC ("8, 16", "FP32") ", v: " VEC ("8, 1", "FP32") ", t: " VEC ("8, 16", "FP32"),
    VEC ("8, 16", "FP32") " = pl.tile.row_expand_add(a, v, t)", ANY2, 6, -1 },
  { "a: " VEC ("8, 16", "INT8"), VEC ("8, 16", "FP32") " = pl.tile.cast(a, target_type=pl.FP32, mode='round')", ANY2, 1, -1 },
  { "a: " VEC ("8, 16", "FP32"), VEC ("8, 16", "FP16") " = pl.tile.cast(a, target_type=pl.FP16, mode='round')", ANY2, 0, -1 },
  { "a: " VEC ("8, 16", "FP32"), VEC ("4, 16", "FP32") " = pl.tile.slice(a, [4, 16], [0, 0])", ANY2, 0, 0 },
  /* passes-memory 5.4 */
  { "a: " VEC ("8, 16", "FP32") ", s: " VEC ("8, 16", "FP32") ", t: " VEC ("8, 16", "FP32"),
    VEC ("8, 16", "FP32") " = pl.tile.prelu(a, s, t)", ANY2, ALL, -1 },
  { "a: " VEC ("8, 16", "FP32") ", s: " VEC ("8, 16", "FP32") ", t: " VEC ("8, 16", "FP32"),
    VEC ("8, 16", "FP32") " = pl.tile.prelu(a, s, t)", ANY5, 3, -1 },
  { "m: " VEC ("8, 32", "UINT8") ", a: " VEC ("8, 16", "FP32") ", b: " VEC ("8, 16", "FP32") ", t: " VEC ("1, 32", "UINT8"),
    VEC ("8, 16", "FP32") " = pl.tile.sel(m, a, b, t)", ANY2, 9, -1 },
  { "a: " VEC ("8, 16", "FP32"), VEC ("8, 16", "FP32") " = pl.tile.recip(a)", ANY2, ALL, -1 },
  { "a: " VEC ("8, 16", "FP32") ", b: " VEC ("8, 16", "FP32"), VEC ("8, 16", "FP32") " = pl.tile.add(a, b)", ANY2, 0, -1 },
  { "a: " VEC ("8, 16", "INT32") ", b: " VEC ("8, 16", "INT32") ", t: " VEC ("8, 16", "INT32"),
    VEC ("8, 16", "INT32") " = pl.tile.xor(a, b, t)", ANY2, 0, -1 },
  { "a: " VEC ("8, 16", "FP32") ", v: " VEC ("1, 16", "FP32"), VEC ("8, 16", "FP32") " = pl.tile.col_expand_expdif(a, v)", ANY2, 2,
    -1 },
  { "a: " VEC ("8, 16", "FP32") ", y: " TENSOR ("8, 16", "FP32"), TENSOR ("8, 16", "FP32") " = pl.tile.store(a, [0, 0], y)", ANY2,
    0,
    2 },
  { "a: " VEC ("8, 16", "FP32"), VEC ("8, 16", "FP32") " = a", ANY2, 0, 0 },
  { "a: " VEC ("8, 16", "FP32") ", n: pl.Scalar[pl.FP32]", VEC ("8, 16", "FP32") " = pl.tile.write(a, [0, 0], n)", ANY2, 0, -1 },
  { "a: " VEC ("8, 16", "FP32"), VEC ("16, 8", "FP32") " = pl.tile.transpose(a, 0, 1)", ANY2, ALL, -1 },
};

static void
test_aliases (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (alias_cases); i++)
    {
      const AliasCase *c = &alias_cases[i];
      g_auto (Kernel)  kernel = read_kernel (c->parameters, c->statement);
      guint            forbidden = 0;
      g_test_message ("%s", c->statement);
      for (guint arg = 0; arg < 4; arg++)
        forbidden |= (guint) ts_op_forbids_alias (kernel.op, arg, c->backend) << arg;
      g_assert_cmpuint (forbidden, ==, c->forbidden);
      g_assert_cmpint (ts_op_shared_argument (kernel.op), ==, c->shared);
    }
}

/* --- completed calls ------------------------------------------------------------------------------------------------------ */

typedef struct
{
  const char *parameters, *call, *completed, *error;
} CallCase;

static const CallCase call_cases[] = {
  /* dsl 4.5 */
  { "x: " TENSOR ("64, 64", "FP32"), "pl.tile.load(x, [0, 0], [64, 64])",
    "pl.tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=pl.Mem.Vec)", NULL },
  { "a: " TENSOR ("64, 64", "FP32"), "pl.tensor.matmul(a, a)",
    "pl.tensor.matmul(a, a, a_trans=False, b_trans=False, c_matrix_nz=False)",
    NULL },
  { "", "pl.tensor.create([8], dtype=pl.FP32)", "pl.tensor.create([8], dtype=pl.FP32, layout=pl.TensorLayout.ND)", NULL },
  { "", "pl.tile.create([8, 8], pl.FP32, pl.Mem.Mat)", "pl.tile.create([8, 8], dtype=pl.FP32, target_memory=pl.Mem.Mat)", NULL },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.cast(a, pl.FP16)", "pl.tile.cast(a, target_type=pl.FP16, mode='round')", NULL },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.cast(a, mode=4, target_type=pl.FP16)",
    "pl.tile.cast(a, target_type=pl.FP16, mode='ceil')",
    NULL },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.cast(a, pl.FP16, mode='sideways')", NULL,
    "mode must be one of 'none', 'rint', 'round', 'floor', 'ceil', 'trunc', 'odd' or 0 to 6" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.cast(a, pl.FP16, mode=7)", NULL, "mode must be one of" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.cast(a, pl.FP16, mode=pl.PadValue.zero)", NULL, "mode must be one of" },
  /* every keyword with a list is held against it */
  { "a: " VEC ("8, 16", "FP32") ", x: " TENSOR ("64, 64", "FP32"), "pl.tile.store(a, [0, 0], x, atomic=pl.AtomicType.Foo)", NULL,
    "AtomicType has no member 'Foo'; it has None_, Add" },
  { "a: " VEC ("8, 16", "FP32") ", x: " TENSOR ("64, 64", "FP32"), "pl.tile.store(a, [0, 0], x, atomic=pl.PadValue.zero)", NULL,
    "atomic must be a member of AtomicType (None_, Add) or 0 to 1" },
  { "a: " VEC ("8, 16", "FP32") ", x: " TENSOR ("64, 64", "FP32"), "pl.tile.store(a, [0, 0], x, atomic=2)", NULL,
    "atomic must be a member of AtomicType (None_, Add) or 0 to 1" },
  { "a: " VEC ("8, 16", "FP32") ", x: " TENSOR ("64, 64", "FP32"), "pl.tile.store(a, [0, 0], x, atomic='Add')", NULL,
    "atomic must be a member" },
  { "a: " VEC ("8, 16", "FP32") ", x: " TENSOR ("64, 64", "FP32"), "pl.tile.store(a, [0, 0], x, atomic=pl.AtomicType.None_)",
    "pl.tile.store(a, [0, 0], x, atomic=pl.AtomicType.None_)", NULL },
  { "x: " TENSOR ("64, 64", "FP32"), "pl.tensor.assemble(x, x, [0, 0], atomic=pl.AtomicType.Max)", NULL, "no member 'Max'" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.move(a, target_memory=pl.Mem.Elsewhere)", NULL,
    "Mem has no member 'Elsewhere'; it has DDR, Vec, Mat, Left, Right, Acc, Bias, ScalarLocal, LeftScale, RightScale" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.move(a, target_memory='Mat')", NULL,
    "target_memory must be a member of Mem (DDR, Vec, " },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.move(a, target_memory=pl.FP32)", NULL, "target_memory must be a member of Mem" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.move(a, target_memory=pl.Mem.Vec, blayout=pl.TileLayout.diagonal)", NULL,
    "TileLayout has no member 'diagonal'; it has none_box, row_major, col_major" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.move(a, target_memory=pl.Mem.Vec, slayout=pl.TensorLayout.ND)", NULL,
    "slayout must be a member of TileLayout" },
  { "", "pl.tensor.create([8], dtype=pl.FP32, layout=pl.TensorLayout.XX)", NULL,
    "TensorLayout has no member 'XX'; it has ND, DN, NZ" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.fillpad(a, pad_value=pl.PadValue.most)", NULL,
    "PadValue has no member 'most'; it has null, zero, max, min" },
  { "", "pl.system.sync_src(set_pipe=pl.PipeType.MTE9, wait_pipe=pl.PipeType.V, event_id=0)", NULL,
    "PipeType has no member 'MTE9'; it has MTE1, MTE2, MTE3, M, V, S, FIX, ALL" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.tpush_to_aic(a, split=3)", NULL, "split must be a member of SplitMode" },
  { "x: " TENSOR ("64, 64", "FP32") ", i: " VEC ("1, 8", "INT32"), "pl.tile.mgather(x, i, coalesce='column')", NULL,
    "coalesce must be one of 'row', 'elem'" },
  { "a: " IN_SPACE ("1, 16", "FP16", "Left") ", b: " IN_SPACE ("16, 16", "FP16", "Right"), "pl.tile.gemv(a, b, acc_phase='last')",
    NULL, "acc_phase must be one of 'unspecified', 'partial', 'final' or 0 to 2" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.something_new(a, atomic=pl.AtomicType.Foo)",
    "pl.tile.something_new(a, atomic=pl.AtomicType.Foo)", NULL },
  /* a load goes where a pipe goes */
  { "x: " TENSOR ("64, 64", "FP16"), "pl.tile.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Left)", NULL,
    "no pipe brings global memory into Left" },
  { "x: " TENSOR ("64, 64", "FP16"), "pl.tile.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Right)", NULL, "into Right" },
  { "x: " TENSOR ("64, 64", "FP16"), "pl.tile.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Acc)", NULL, "into Acc" },
  { "x: " TENSOR ("64, 64", "FP16"), "pl.tile.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Bias)", NULL, "into Bias" },
  { "x: " TENSOR ("64, 64", "FP16"), "pl.tile.load(x, [0, 0], [64, 64], target_memory=pl.Mem.DDR)", NULL, "into DDR" },
  { "x: " TENSOR ("64, 64", "FP16"), "pl.tile.load(x, [0, 0], [64, 64], target_memory=pl.Mem.ScalarLocal)", NULL, "ScalarLocal" },
  { "x: " TENSOR ("64, 64", "FP16") ", i: " VEC ("1, 8", "INT32"), "pl.tile.mgather(x, i, target_memory=pl.Mem.Left)", NULL,
    "no pipe brings global memory into Left" },
  { "x: " TENSOR ("64, 64", "FP16"), "pl.tile.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Mat)",
    "pl.tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=pl.Mem.Mat)", NULL },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.cast(a)", NULL, "argument 'target_type' is missing" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.cast(a, target=pl.FP16)", NULL, "unexpected argument 'target'" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.exp(a, tile=a)", NULL, "argument 'tile' given twice" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.exp(a, a)", NULL, "2 arguments given, at most 1 taken" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.add(lhs=a, rhs=a)", "pl.tile.add(a, a)", NULL },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.add(a)", NULL, "argument 'rhs' is missing" },
  { "", "pl.tensor.full([8], pl.FP32, 2.0)", "pl.tensor.full([8], dtype=pl.FP32, value=2.0)", NULL },
  { "a: " TENSOR ("64, 64", "FP32"), "pl.tensor.matmul(a, a, pl.FP32, True)",
    "pl.tensor.matmul(a, a, a_trans=True, b_trans=False, c_matrix_nz=False, out_dtype=pl.FP32)", NULL },
  { "a: " TENSOR ("64, 64", "FP32") ", i: " TENSOR ("64, 8", "INT32"), "pl.tensor.gather(a, 1, i)", "pl.tensor.gather(a, i, dim=1)",
    NULL },
  { "a: " TENSOR ("64, 64", "FP32") ", i: " TENSOR ("64, 8", "INT32"), "pl.tensor.gather(a, i)", "pl.tensor.gather(a, i)", NULL },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.slice(a, [1, 16], [0, 0], drop_dims=[0])", "pl.tile.slice(a, [1, 16], [0, 0], [], [0])",
    NULL },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.fillpad(a)", "pl.tile.fillpad(a, pad_value=pl.PadValue.zero)", NULL },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.fillpad(a, pad_value=0)", "pl.tile.fillpad(a, pad_value=pl.PadValue.zero)", NULL },
  { "a: " VEC ("1, 64", "FP32"), "pl.tile.mrgsort_format2(a, a, a)", "pl.tile.mrgsort_format2(a, a, a, exhausted=False)", NULL },
  { "a: " TENSOR ("64, 64", "FP32"), "pl.system.cacheinvalid(a, [8, 64], [0, 0])",
    "pl.system.cacheinvalid(a, [8, 64], [0, 0])", NULL },
  { "", "pl.system.cacheinvalid()", "pl.system.cacheinvalid()", NULL },
  { "a: " TENSOR ("64, 64", "FP32"), "pl.system.cacheinvalid(a, [8, 64], [0, 0], 1)", NULL, "at most 3 taken" },
  { "g: " TENSOR ("64", "INT32"), "pl.system.syncall(mode='soft', core_type='mix', gm_workspace=g, used_cores=4)",
    "pl.system.syncall(mode=\"soft\", core_type=\"mix\", gm_workspace=g, used_cores=4)", NULL },
  { "", "pl.system.syncall(mode=pl.SyncAllMode.HARD)", "pl.system.syncall(mode=pl.SyncAllMode.HARD, core_type=\"mix\")", NULL },
  { "a: " TENSOR ("64, 64", "FP32"), "pld.tensor.allreduce(a)", "pld.tensor.allreduce(a, op=0, mode='mesh')", NULL },
  { "a: " TENSOR ("64, 64", "FP32"), "pl.tensor.cast(a, pl.BF16, mode='sideways')", NULL, "mode must be" },
  { "a: " TENSOR ("64, 64", "FP32"), "pl.tensor.maximum(a, 0.0)", "pl.tensor.maximum(a, 0.0)", NULL },
  { "a: " TENSOR ("64, 64", "FP32"), "pl.tensor.cmp(a, 0.0, 4)", "pl.tensor.cmp(a, 0.0, cmp_type=4)", NULL },
  { "", "pl.system.reserve_buffer(name='ring', size=64)", "pl.system.reserve_buffer(name='ring', size=64, base=-1)", NULL },
  { "", "pl.system.reserve_buffer(name='ring')", NULL, "argument 'size' is missing" },
  { "a: " VEC ("8, 16", "FP32"), "pl.tile.something_new(a, whatever=3)", "pl.tile.something_new(a, whatever=3)", NULL },
};

static void
test_calls (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (call_cases); i++)
    {
      const CallCase        *c = &call_cases[i];
      g_auto (Kernel)        kernel = read_kernel (c->parameters, c->call);
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      const gboolean         ok = ts_infer_complete (kernel.module, kernel.op, diags, kernel.op->span);
      g_autofree char       *line = ts_pypto_print_op (kernel.module, kernel.op);
      const char            *said = ts_diag_list_has_errors (diags) ? ts_diag_list_get (diags, 0)->message : "";
      g_test_message ("%s: %s %s", c->call, line, said);
      g_assert_cmpint (ok, ==, c->error == NULL);
      if (c->error != NULL)
        g_assert_nonnull (strstr (said, c->error));
      else
        g_assert_cmpstr (strstr (line, " = ") + 3, ==, c->completed);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ir/infer/types", test_types);
  g_test_add_func ("/ir/infer/calls", test_calls);
  g_test_add_func ("/ir/op-info/pipes", test_pipes);
  g_test_add_func ("/ir/op-info/aliases", test_aliases);
  return g_test_run ();
}
