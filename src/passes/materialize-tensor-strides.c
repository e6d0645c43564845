/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MaterializeTensorStrides: writes the packed strides that a tensor's layout implies. Source: spec passes-memory 2. */
#include "base/limits.h"
#include "passes/allocations.h"

typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  TsFunction    *function;
  const TsValue *value; /* whose type is being filled; NULL: a result of the function */
  GHashTable    *done; /* TsType* to its filled TsType*: types are shared by many variables */
  gboolean       changed, failed;
} Fill;

static gboolean
is_default_view (const TsView *view)
{
  return view->layout == TS_LAYOUT_ND && view->pad == TS_PAD_NULL && view->valid_shape == NULL && view->n_stride == 0
         && view->start_offset == NULL;
}

/* a * b, folded where both are constants and the product fits. */
static TsExpr *
product (TsModule *module, TsExpr *a, TsExpr *b)
{
  gint64 x;
  if (ts_expr_as_int (a, &x) && x == 1)
    return b;
  if (ts_expr_as_int (b, &x) && x == 1)
    return a;
  TsExpr *e = ts_expr_binary (module, TS_OPERATOR_MUL, a, b);
  return ts_expr_fold_int (e, &x) ? ts_expr_index (module, x) : e;
}

static TsExpr **
packed_strides (TsModule *module, const TsType *type, gboolean column_major)
{
  guint n = type->rank;
  TsExpr **stride = ts_arena_array (module->arena, TsExpr *, n);
  guint done = 1; /* strides already written, from the innermost dimension outward */
  stride[n - 1] = ts_expr_index (module, 1);
  if (column_major)
    {
      stride[n - 2] = ts_expr_index (module, 1);
      stride[n - 1] = type->dims[n - 2];
      done = 2;
      if (n > 2)
        {
          stride[n - 3] = product (module, type->dims[n - 2], type->dims[n - 1]);
          done = 3;
        }
    }
  for (guint k = n - done; k-- > 0;)
    stride[k] = product (module, stride[k + 1], type->dims[k + 1]);
  return stride;
}

static void
refuse (Fill *fill, const TsOp *op, TsLayout layout, const char *why)
{
  g_autofree char *who = fill->value != NULL ? g_strdup_printf ("tensor '%s'", fill->value->hint) : g_strdup ("a result");
  ts_report_about (fill->context, fill->module, fill->function, op, TS_SEVERITY_ERROR, "tensor-layout",
                   fill->value != NULL ? fill->value->hint : NULL, "layout %s %s, but %s of '%s' has it", ts_layout_name (layout),
                   why, who, fill->function->name);
  fill->failed = TRUE;
}

static const TsType *
fill_tensor (Fill *fill, const TsType *type, const TsOp *op)
{
  const TsView *view = type->view;
  if (view == NULL)
    return type;
  if (view->layout == TS_LAYOUT_NZ)
    {
      refuse (fill, op, view->layout, "is tile-only");
      return type;
    }
  if (view->n_stride > 0 || type->rank == 0 || is_default_view (view))
    return type;
  if (view->layout == TS_LAYOUT_DN && type->rank < 2)
    {
      refuse (fill, op, view->layout, "needs a rank of at least 2");
      return type;
    }
  TsView filled = *view;
  filled.stride = packed_strides (fill->module, type, view->layout == TS_LAYOUT_DN);
  filled.n_stride = type->rank;
  filled.has_stride = TRUE;
  return ts_type_with_view (fill->module, type, &filled);
}

static const TsType *
fill_type (Fill *fill, const TsType *type, const TsOp *op, guint depth)
{
  if (type == NULL || depth > TS_MAX_NESTING || (type->kind != TS_TYPE_TENSOR && type->kind != TS_TYPE_TUPLE))
    return type;
  const TsType *known = g_hash_table_lookup (fill->done, type);
  if (known != NULL)
    return known;
  const TsType *result = type;
  if (type->kind == TS_TYPE_TENSOR)
    result = fill_tensor (fill, type, op);
  else
    {
      g_autofree const TsType **elems = g_new (const TsType *, type->n_elems + 1);
      gboolean changed = FALSE;
      for (guint i = 0; i < type->n_elems; i++)
        {
          elems[i] = fill_type (fill, type->elems[i], op, depth + 1);
          changed = changed || elems[i] != type->elems[i];
        }
      if (changed)
        result = ts_type_tuple (fill->module, elems, type->n_elems);
    }
  g_hash_table_insert (fill->done, (gpointer) type, (gpointer) result);
  return result;
}

static void
fill_value (TsValue *value, TsOp *op, gpointer data)
{
  Fill *fill = data;
  if (fill->failed)
    return;
  fill->value = value;
  const TsType *type = fill_type (fill, value->type, op, 0);
  if (type == value->type)
    return;
  value->type = type;
  fill->changed = TRUE;
  ts_step_begin (fill->context->steps, "stride", fill->module, fill->function, op);
  ts_step_value (fill->context->steps, "variable", value);
}

static TsPassResult
run (TsPassContext *context, TsModule *module)
{
  g_autoptr (GHashTable) done = g_hash_table_new (NULL, NULL);
  Fill fill = { .context = context, .module = module, .done = done };
  for (guint i = 0; i < module->n_functions && !fill.failed; i++)
    {
      TsFunction *function = fill.function = module->functions[i];
      ts_function_foreach_value (function, fill_value, &fill);
      fill.value = NULL;
      for (guint k = 0; k < function->n_returns && !fill.failed; k++)
        {
          const TsType *type = fill_type (&fill, function->returns[k], NULL, 0);
          fill.changed = fill.changed || type != function->returns[k];
          function->returns[k] = type;
        }
    }
  return fill.failed ? TS_PASS_FAILED : fill.changed ? TS_PASS_CHANGED : TS_PASS_UNCHANGED;
}

const TsPassInfo ts_pass_materialize_tensor_strides = {
  .name = "MaterializeTensorStrides",
  .id = "materialize-tensor-strides",
  .summary = "Writes the strides that a tensor's layout implies",
  .help = "Every tensor type with a view but without strides gets packed ones: row-major for ND and MX layouts, the last two "
          "dimensions swapped for DN. Explicit strides, padded ones too, are left alone. The layout NZ belongs to tiles and is "
          "refused.",
  .language = TS_LANGUAGE_PYPTO,
  .required = TS_PROPERTIES_TILE,
  .produced = TS_PROPERTIES_TILE | TS_PROPERTY_BIT (TS_PROPERTY_TENSOR_VIEW_CANONICAL),
  .planners = (1u << TS_N_PLANNERS) - 1,
  .in_default = TRUE,
  .whole_module = TRUE,
  .run = run,
};
