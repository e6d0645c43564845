/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"

#define CHUNK (1024u * 1024u)

static void
set_errno (GError **error, const char *verb, const char *path)
{
  int code = errno;

  g_set_error (error, G_IO_ERROR, (int) g_io_error_from_errno (code), "cannot %s %s: %s", verb, path, g_strerror (code));
}

static gboolean
read_all (int fd, const char *path, GByteArray *bytes, GCancellable *cancellable, GError **error)
{
  for (;;)
    {
      guint at = bytes->len;
      gssize got;

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (at >= TS_MAX_FILE_BYTES)
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "%s is larger than the limit of %u bytes", path, TS_MAX_FILE_BYTES);
          return FALSE;
        }
      g_byte_array_set_size (bytes, at + CHUNK);
      do
        got = read (fd, bytes->data + at, CHUNK);
      while (got < 0 && errno == EINTR);
      if (got < 0)
        {
          set_errno (error, "read", path);
          return FALSE;
        }
      g_byte_array_set_size (bytes, at + (guint) got);
      if (got == 0)
        return TRUE;
    }
}

GBytes *
ts_file_read (const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gboolean is_stdin = g_str_equal (path, "-");
  int fd = is_stdin ? STDIN_FILENO : g_open (path, O_RDONLY | O_CLOEXEC, 0);
  struct stat info;
  gboolean ok;

  if (fd < 0)
    {
      set_errno (error, "open", path);
      return NULL;
    }
  if (fstat (fd, &info) == 0 && S_ISDIR (info.st_mode))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY, "cannot read %s: it is a folder", path);
      ok = FALSE;
    }
  else if (fstat (fd, &info) == 0 && info.st_size > (off_t) TS_MAX_FILE_BYTES)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "%s has %" G_GINT64_FORMAT " bytes, more than the limit of %u",
                   path, (gint64) info.st_size, TS_MAX_FILE_BYTES);
      ok = FALSE;
    }
  else
    ok = read_all (fd, path, bytes, cancellable, error);
  if (!is_stdin)
    close (fd);
  return ok ? g_byte_array_free_to_bytes (g_steal_pointer (&bytes)) : NULL;
}

static gboolean
write_all (int fd, const char *path, const char *data, gsize length, GError **error)
{
  while (length > 0)
    {
      gssize put = write (fd, data, MIN (length, 64u * CHUNK));

      if (put < 0 && errno == EINTR)
        continue;
      if (put < 0)
        {
          set_errno (error, "write", path);
          return FALSE;
        }
      data += put;
      length -= (gsize) put;
    }
  return TRUE;
}

/* A device or FIFO is written through: a renamed file would take its place. */
static gboolean
write_through (const char *path, const char *data, gsize length, GError **error)
{
  int fd = g_open (path, O_WRONLY | O_CLOEXEC);
  gboolean good;

  if (fd < 0)
    {
      set_errno (error, "write", path);
      return FALSE;
    }
  good = write_all (fd, path, data, length, error);
  close (fd);
  return good;
}

gboolean
ts_file_write (const char *path, const char *data, gsize length, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autofree char *target = NULL;
  const char *reason;
  struct stat info;

  if (g_str_equal (path, "-"))
    return write_all (STDOUT_FILENO, "standard output", data, length, error);
  if (stat (path, &info) == 0 && !S_ISREG (info.st_mode) && !S_ISDIR (info.st_mode))
    return write_through (path, data, length, error);
  /* What a link points to is replaced, not the link. */
  target = realpath (path, NULL);
  /* GLib's own message names the temporary file, which nobody asked for. */
  if (g_file_set_contents_full (target != NULL ? target : path, data, (gssize) length, G_FILE_SET_CONTENTS_CONSISTENT, 0666,
                                &failure))
    return TRUE;
  reason = strrchr (failure->message, ':');
  g_set_error (error, failure->domain, failure->code, "Cannot write %s%s", path, reason != NULL ? reason : "");
  return FALSE;
}
