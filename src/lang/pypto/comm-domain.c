/* SPDX-License-Identifier: GPL-3.0-or-later */
/* # pld.comm_domain: devices=all, slots=[a, b]: the only trace that a communication domain's scope leaves in a dump. It stays the
 * comment it is; one that is broken is told, for nothing else would. Source: spec dsl section 7, 8.3-3. */
#include <string.h>

#include "lang/pypto/reader.h"

#define PREFIX "pld.comm_domain"

static void
skip_blanks (const char **at)
{
  *at += strspn (*at, " \t");
}

/* Text that stands next, with blanks around it. */
static gboolean
accept (const char **at, const char *text)
{
  skip_blanks (at);
  if (strncmp (*at, text, strlen (text)) != 0)
    return FALSE;
  *at += strlen (text);
  skip_blanks (at);
  return TRUE;
}

static gboolean
accept_number (const char **at)
{
  gsize length = strspn (*at, G_CSET_DIGITS);

  *at += length;
  return length > 0;
}

static gboolean
accept_name (const char **at)
{
  const char *start = *at;

  if (g_ascii_isdigit (*start))
    return FALSE;
  while (g_ascii_isalnum (**at) || **at == '_' || (guchar) **at >= 0x80)
    (*at)++;
  return *at > start;
}

/* [item, item] or [] */
static gboolean
accept_list (const char **at, gboolean (*accept_item) (const char **at))
{
  if (!accept (at, "["))
    return FALSE;
  if (accept (at, "]"))
    return TRUE;
  do
    if (!accept_item (at))
      return FALSE;
  while (accept (at, ","));
  return accept (at, "]");
}

/* What is wrong with what stands behind the prefix, or NULL. */
static const char *
find_trouble (const char *at)
{
  if (!accept (&at, ":"))
    return "a colon is missing";
  if (!accept (&at, "devices") || !accept (&at, "="))
    return "devices= is missing";
  if (!accept (&at, "all") && !accept_list (&at, accept_number))
    return "devices= is neither 'all' nor a list of numbers";
  if (!accept (&at, ",") || !accept (&at, "slots") || !accept (&at, "="))
    return "slots= is missing";
  if (!accept_list (&at, accept_name))
    return "slots= is no list of names";
  return *at != '\0' ? "something stands behind it" : NULL;
}

void
ts_check_comm_domain (TsReader *reader, const TsStatement *statement)
{
  for (guint i = 0; i < statement->n_comments; i++)
    {
      const char *text = statement->comments[i];
      const char *trouble = g_str_has_prefix (text, PREFIX) ? find_trouble (text + strlen (PREFIX)) : NULL;
      TsDiag *diag;

      if (trouble == NULL)
        continue;
      diag = ts_diag_add (reader->diags, TS_SEVERITY_WARNING, "comm-domain", reader->source,
                          ts_reader_span (reader, statement->offset, statement->end),
                          "the comment above names no communication domain: %s", trouble);
      diag->help = g_strdup ("it is written '# " PREFIX ": devices=all, slots=[buf]'");
    }
}
