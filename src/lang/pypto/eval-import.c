/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sibling modules: constants of a file beside the kernel, or up its package path. Nothing outside is ever read. */
#include <string.h>

#include "base/file.h"
#include "lang/pypto/eval-private.h"

#define MAX_SIBLING_BYTES (4u * 1024u * 1024u)
#define MAX_PACKAGE_DEPTH 8u

static const TsConst *
foreign_module (TsEval *eval, const char *name)
{
  return ts_const_text (eval, TS_CONST_MODULE, name);
}

/* folder/a/b.py or folder/a/b/__init__.py for "a.b"; NULL when neither is a file. */
static char *
module_path (const char *folder, const char *module)
{
  g_autofree char *relative = g_strdelimit (g_strdup (module), ".", G_DIR_SEPARATOR);
  g_autofree char *file = g_strconcat (folder, G_DIR_SEPARATOR_S, relative, ".py", NULL);
  g_autofree char *package = g_build_filename (folder, relative, "__init__.py", NULL);

  if (*module != '\0' && g_file_test (file, G_FILE_TEST_IS_REGULAR))
    return g_steal_pointer (&file);
  return g_file_test (package, G_FILE_TEST_IS_REGULAR) ? g_steal_pointer (&package) : NULL;
}

static TsScope *
load_file (TsEval *eval, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (TsDiagList) silent = ts_diag_list_new ();
  TsSource *source;
  TsParser *parser;
  TsScope *scope = NULL;
  gpointer known;
  guint base_depth;

  if (g_hash_table_lookup_extended (eval->files, path, NULL, &known))
    return known;
  if (g_hash_table_size (eval->files) >= TS_EVAL_FILES || eval->depth >= TS_EVAL_DEPTH)
    return NULL;
  g_hash_table_insert (eval->files, g_strdup (path), NULL);
  bytes = ts_file_read (path, NULL, &error);
  if (bytes == NULL || g_bytes_get_size (bytes) > MAX_SIBLING_BYTES)
    return NULL;
  source = ts_source_new (path, bytes);
  /* Its syntax errors are not the kernel's: what could be read counts. */
  parser = ts_parser_new (source, 0, eval->lexicon, silent);
  ts_lexer_mute (ts_parser_lexer (parser), TRUE);
  g_ptr_array_add (eval->sources, source);
  g_ptr_array_add (eval->parsers, parser);
  base_depth = eval->base_depth;
  eval->base_depth = ++eval->depth;
  scope = ts_eval_module_scope (eval, source);
  g_hash_table_insert (eval->files, g_strdup (path), scope);
  ts_eval_run_module (eval, scope, ts_parser_file (parser));
  eval->depth--;
  eval->base_depth = base_depth;
  return scope;
}

/* The folder of the importing file; of the kernel itself when that is not known. */
static char *
folder_of (TsEval *eval, TsScope *scope)
{
  const char *name = ts_source_name (scope->source);

  return g_hash_table_contains (eval->files, name) ? g_path_get_dirname (name) : g_strdup (eval->folder);
}

/* A module by name; dots say how far up to begin. Without dots it is looked for beside the file and up the package path. */
static TsScope *
load_module (TsEval *eval, TsScope *scope, const char *module, guint level)
{
  g_autofree char *folder = eval->folder != NULL ? folder_of (eval, scope) : NULL;
  guint tries = level > 0 ? 1 : MAX_PACKAGE_DEPTH;

  for (guint i = 1; folder != NULL && i < level; i++)
    {
      char *up = g_path_get_dirname (folder);

      g_free (folder);
      folder = up;
    }
  for (; folder != NULL && tries > 0; tries--)
    {
      g_autofree char *path = module_path (folder, module);
      char *up;

      if (path != NULL)
        return load_file (eval, path);
      up = g_path_get_dirname (folder);
      if (strcmp (up, folder) == 0)
        {
          g_free (up);
          break;
        }
      g_free (folder);
      folder = up;
    }
  return NULL;
}

/* Modules that every interpreter has: importing them does not fail. */
static gboolean
is_standard (const char *module)
{
  static const char *const names[] = {
    "abc", "argparse", "ast", "bisect", "collections", "contextlib", "copy", "csv", "ctypes", "dataclasses", "datetime", "decimal",
    "enum", "functools", "gc", "glob", "hashlib", "heapq", "importlib", "inspect", "io", "itertools", "json", "logging",
    "math", "numbers", "operator", "os", "pathlib", "pickle", "platform", "pprint", "random", "re", "shutil", "signal", "socket",
    "statistics", "string", "struct", "subprocess", "sys", "tempfile", "textwrap", "threading", "time", "traceback", "types",
    "fractions", "typing",
    "unittest", "uuid", "warnings", "weakref", "__future__", "pypto", NULL,
  };
  const char *dot = strchr (module, '.');
  g_autofree char *root = dot != NULL ? g_strndup (module, (gsize) (dot - module)) : g_strdup (module);

  return g_strv_contains (names, root);
}

static const TsConst *
module_value (TsEval *eval, TsScope *scope, const char *module, guint level)
{
  TsScope *loaded = load_module (eval, scope, module, level);
  TsConst *value;

  if (loaded == NULL)
    {
      /* Whether it is there, where the kernel runs, nobody knows: a try around it may end either way. */
      eval->may_fail = eval->may_fail || !is_standard (module);
      return foreign_module (eval, module);
    }
  value = ts_const_new (eval, TS_CONST_MODULE);
  value->text = module;
  value->scope = loaded;
  return value;
}

static gboolean
is_language (const char *module)
{
  return strcmp (module, "pypto") == 0 || g_str_has_prefix (module, "pypto.");
}

/* A package without a file of its own: a folder that holds modules. */
static const TsConst *
namespace_package (TsEval *eval, const TsScope *scope, const char *name)
{
  TsConst *value = ts_const_new (eval, TS_CONST_MODULE);

  value->text = name;
  value->scope = ts_scope_new (eval, NULL, scope->source);
  return value;
}

/* import a.b.c binds "a", and every module on the way in the one before it. */
static void
bind_path (TsEval *eval, TsScope *scope, const char *module)
{
  g_auto (GStrv) parts = g_strsplit (module, ".", -1);
  g_autoptr (GString) path = g_string_new (NULL);
  gboolean found = module_value (eval, scope, module, 0)->scope != NULL;
  TsScope *around = scope;

  for (guint i = 0; parts[i] != NULL && around != NULL; i++)
    {
      const char *name = ts_eval_intern (eval, parts[i]);
      const TsConst *known = i == 0 ? ts_scope_get (scope, name) : NULL, *value;

      g_string_append_printf (path, "%s%s", i > 0 ? "." : "", name);
      value = known != NULL && known->kind == TS_CONST_MODULE && known->scope != NULL
                ? known : module_value (eval, scope, ts_eval_intern (eval, path->str), 0);
      if (value->scope == NULL && found)
        value = namespace_package (eval, scope, name);
      ts_scope_set (around, name, value);
      around = value->scope;
    }
}

/* import a.b as c; without `as` the name bound is "a". */
static void
run_import (TsEval *eval, TsScope *scope, const TsImport *import)
{
  const char *module = import->name->text;

  if (is_language (module))
    return;
  if (import->alias != NULL)
    ts_scope_set (scope, import->alias->text, module_value (eval, scope, module, 0));
  else
    bind_path (eval, scope, module);
}

static void
import_all (TsEval *eval, TsScope *scope, TsScope *from)
{
  GHashTableIter iter;
  gpointer name, value;

  g_hash_table_iter_init (&iter, from->names);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (((const char *) name)[0] != '_')
      ts_scope_set (scope, name, value);
  /* What exec or setattr may have bound there comes along as well. */
  scope->open = scope->open != NULL ? scope->open : from->open;
  if (from->open_names == NULL)
    return;
  if (scope->open_names == NULL)
    scope->open_names = ts_eval_table (eval);
  g_hash_table_iter_init (&iter, from->open_names);
  while (g_hash_table_iter_next (&iter, &name, &value))
    g_hash_table_replace (scope->open_names, name, value);
}

/* from pypto.language import FP32: an element type under a name of the file. Other words of the language work bare anyway. */
static void
bind_language_name (TsEval *eval, TsScope *scope, const char *word, const char *bound)
{
  g_autofree char *full = g_strconcat (ts_lexicon_prefix (eval->lexicon), ".", word, NULL);
  TsName *name = ts_lexicon_get (eval->lexicon, full, strlen (full));
  TsConst *value;

  if (ts_name_meaning (eval->lexicon, name) != TS_MEANING_DTYPE)
    return;
  value = ts_const_new (eval, TS_CONST_DTYPE);
  value->detail = name->detail;
  ts_scope_set (scope, bound, value);
}

/* from .config import HIDDEN as H */
static void
run_from (TsEval *eval, TsScope *scope, const TsStatement *statement)
{
  const char *module = statement->name != NULL ? statement->name->text : "";
  const TsConst *from = is_language (module) ? foreign_module (eval, module) : module_value (eval, scope, module, statement->level);

  for (const TsImport *import = statement->imports; import != NULL; import = import->next)
    {
      const TsName *bound = import->alias != NULL ? import->alias : import->name;
      const TsConst *value = NULL;

      if (import->name == NULL)
        {
          if (from->scope != NULL && from->scope != scope)
            import_all (eval, scope, from->scope);
          continue;
        }
      if (is_language (module))
        {
          bind_language_name (eval, scope, import->name->text, bound->text);
          continue;
        }
      if (from->scope != NULL)
        value = ts_scope_get (from->scope, import->name->text);
      if (value == NULL && (from->scope != NULL || statement->name == NULL))
        {
          /* from . import config: a module, not a name in one. */
          g_autofree char *inner = statement->name != NULL ? g_strconcat (module, ".", import->name->text, NULL)
                                                           : g_strdup (import->name->text);
          const TsConst *sibling = module_value (eval, scope, ts_eval_intern (eval, inner), statement->level);

          value = sibling->scope != NULL ? sibling : NULL;
        }
      if (value == NULL && from->scope != NULL && from->scope->is_running)
        value = ts_const_raises (eval, scope, statement->offset,
                                 "a circular import: '%s' is not defined in '%s' yet, which is being loaded and imports this file",
                                 import->name->text, module);
      if (value == NULL)
        value = ts_eval_attribute (eval, scope, statement->offset, from, import->name->text);
      ts_scope_set (scope, bound->text, ts_eval_overridden (eval, scope, bound->text, value));
    }
}

void
ts_eval_import (TsEval *eval, TsScope *scope, const TsStatement *statement)
{
  if (statement->kind == TS_STATEMENT_FROM)
    run_from (eval, scope, statement);
  else
    for (const TsImport *import = statement->imports; import != NULL; import = import->next)
      if (import->name != NULL)
        run_import (eval, scope, import);
}
