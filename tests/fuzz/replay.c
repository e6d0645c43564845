/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a fuzz target over a folder of inputs, as an ordinary test: what once broke stays mended. Usage: replay FOLDER. */
#include <glib.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
main (int argc, char **argv)
{
  g_autoptr (GDir) dir = argc > 1 ? g_dir_open (argv[1], 0, NULL) : NULL;
  const char *name;
  guint n = 0;

  if (dir == NULL)
    return 1;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (argv[1], name, NULL);
      g_autofree char *data = NULL;
      gsize size;

      if (!g_file_get_contents (path, &data, &size, NULL))
        return 1;
      LLVMFuzzerTestOneInput ((const uint8_t *) data, size);
      n++;
    }
  return n > 0 ? 0 : 1;
}
