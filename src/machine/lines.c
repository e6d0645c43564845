/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of a machine file before the key file parser sees them: GKeyFile stops at the first line it does not understand, and of
 * a key that stands twice it takes the last without a word. Here every such line is told with its number and blanked. */
#include "machine/machine-private.h"

#include <string.h>

typedef struct
{
  const char    *name;   /* of the file */
  MachineFaults *faults;
  GHashTable    *lines;  /* "group\nkey" to the number of its line */
  char          *group;  /* NULL before the first */
  guint          number; /* of the line, from 1 */
} Lines;

static gboolean
read_header (Lines *l, const char *line)
{
  const char *close = strchr (line, ']');
  if (close == NULL || close == line + 1 || close[1 + strspn (close + 1, " \t\r")] != '\0')
    return FALSE;
  g_free (l->group);
  l->group = g_strndup (line + 1, close - line - 1);
  return TRUE;
}

/* FALSE: the line was told and is not to be read. */
static gboolean
read_pair (Lines *l, const char *line, const char *equals)
{
  g_autofree char *key = g_strchomp (g_strndup (line, equals - line));
  g_autofree char *full = g_strconcat (l->group, "\n", key, NULL);
  const guint      before = GPOINTER_TO_UINT (g_hash_table_lookup (l->lines, full));
  if (strpbrk (key, "[]") != NULL)
    {
      machine_fault (l->faults, TS_MACHINE_ERROR_UNKNOWN_KEY, "%s: [%s] %s: unknown key (line %u)", l->name, l->group, key,
                     l->number);
      return FALSE;
    }
  if (before != 0)
    {
      machine_fault (l->faults, TS_MACHINE_ERROR_BAD_VALUE, "%s: [%s] %s: given twice, in line %u and in line %u", l->name,
                     l->group, key, before, l->number);
      return FALSE;
    }
  g_hash_table_insert (l->lines, g_steal_pointer (&full), GUINT_TO_POINTER (l->number));
  return TRUE;
}

/* How much of a line is quoted, in characters. */
#define MOST_QUOTED 60

static void
tell_line (Lines *l, const char *line, const char *why)
{
  g_autofree char *shown = g_utf8_substring (line, 0, MIN (g_utf8_strlen (line, -1), MOST_QUOTED));
  machine_fault (l->faults, TS_MACHINE_ERROR_SYNTAX, "%s: line %u is %s: %s", l->name, l->number, why, shown);
}

static gboolean
read_line (Lines *l, const char *line)
{
  const char *equals = strchr (line, '=');
  line += strspn (line, " \t\r");
  if (*line == '\0' || *line == '#')
    return TRUE;
  if (*line == '[' && read_header (l, line))
    return TRUE;
  if (*line != '[' && equals != NULL && equals > line)
    {
      if (l->group != NULL)
        return read_pair (l, line, equals);
      tell_line (l, line, "in no group");
      return FALSE;
    }
  tell_line (l, line, "neither [GROUP] nor KEY=VALUE");
  return FALSE;
}

char *
machine_check_lines (const char *name, const char *text, gsize length, MachineFaults *faults)
{
  static const char       mark[] = "\xef\xbb\xbf"; /* a byte order mark: some editors write one */
  const gboolean          marked = length >= 3 && memcmp (text, mark, 3) == 0;
  g_autofree char        *copy = g_strndup (text + (marked ? 3 : 0), length - (marked ? 3 : 0));
  g_auto (GStrv)          lines = g_strsplit (copy, "\n", -1);
  g_autoptr (GHashTable)  seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const MachineFaults     before = *faults;
  Lines                   l = { name, faults, seen, NULL, 0 };
  for (guint i = 0; lines[i] != NULL; i++)
    {
      l.number = i + 1;
      if (!read_line (&l, lines[i]))
        lines[i][0] = '\0';
    }
  if (l.group == NULL && faults->n > before.n)
    return NULL;
  g_free (l.group);
  return g_strjoinv ("\n", lines);
}
