/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tilescope: the window. */
#include <glib/gi18n.h>
#include <locale.h>

#include "app/application.h"
#include "config.h"
#include "resources.h"

int
main (int argc, char **argv)
{
  g_autoptr (TsApplication) application = NULL;

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  /* AdwApplication looks for style.css among the resources while it starts. */
  g_resources_register (ts_resources_get_resource ());

  application = ts_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
