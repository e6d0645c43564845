/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preferences and remembered state, in GSettings where the schema is there and in memory elsewhere. */
#include "app/settings.h"

#include "config.h"

struct _TsSettings
{
  GObject     parent_instance;
  GSettings  *backend; /* (nullable): no schema installed */
  GHashTable *memory;  /* key to GVariant, used without a backend */
};

enum { CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsSettings, ts_settings, G_TYPE_OBJECT)

/* The same values as in the schema: they count where none is installed. A test compares the two. */
static const struct { const char *key, *value; } defaults[] = {
  { TS_SETTING_COLOR_SCHEME, "'system'" },
  { TS_SETTING_MACHINE, "'ascend910b'" },
  { TS_SETTING_DRAG_PANS, "false" },
  { TS_SETTING_HIDE_UNCHANGED, "false" },
  { TS_SETTING_SHOW_INSPECTOR, "true" },
  { TS_SETTING_UPPER_VIEW, "'graph'" },
  { TS_SETTING_LOWER_VIEW, "'timeline'" },
  { TS_SETTING_WINDOW_SIZE, "(1440, 900)" },
  { TS_SETTING_MAXIMIZED, "false" },
};

static void
on_backend_changed (GSettings *backend, const char *key, gpointer data)
{
  g_signal_emit (data, signals[CHANGED], g_quark_from_string (key), key);
}

static void
ts_settings_dispose (GObject *object)
{
  TsSettings *self = TS_SETTINGS (object);

  if (self->backend != NULL)
    g_signal_handlers_disconnect_by_data (self->backend, self);
  g_clear_object (&self->backend);
  G_OBJECT_CLASS (ts_settings_parent_class)->dispose (object);
}

static void
ts_settings_finalize (GObject *object)
{
  TsSettings *self = TS_SETTINGS (object);

  g_hash_table_unref (self->memory);
  G_OBJECT_CLASS (ts_settings_parent_class)->finalize (object);
}

static void
ts_settings_class_init (TsSettingsClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);

  object_class->dispose = ts_settings_dispose;
  object_class->finalize = ts_settings_finalize;
  signals[CHANGED] = g_signal_new ("changed", TS_TYPE_SETTINGS, G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
ts_settings_init (TsSettings *self)
{
  GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
  g_autoptr (GSettingsSchema) schema = NULL;

  self->memory = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_variant_unref);
  for (guint i = 0; i < G_N_ELEMENTS (defaults); i++)
    g_hash_table_insert (self->memory, g_strdup (defaults[i].key), g_variant_ref_sink (g_variant_new_parsed (defaults[i].value)));

  /* g_settings_new() aborts when the schema is absent; settings must never block a start. */
  if (source != NULL)
    schema = g_settings_schema_source_lookup (source, TS_APPLICATION_ID, TRUE);
  for (guint i = 0; schema != NULL && i < G_N_ELEMENTS (defaults); i++)
    if (!g_settings_schema_has_key (schema, defaults[i].key))
      g_clear_pointer (&schema, g_settings_schema_unref); /* left by another version */
  if (schema != NULL)
    {
      self->backend = g_settings_new_full (schema, NULL, NULL);
      g_signal_connect (self->backend, "changed", G_CALLBACK (on_backend_changed), self);
    }
}

TsSettings *
ts_settings_new (void)
{
  return g_object_new (TS_TYPE_SETTINGS, NULL);
}

GVariant *
ts_settings_get (TsSettings *self, const char *key)
{
  g_return_val_if_fail (TS_IS_SETTINGS (self), NULL);

  if (self->backend != NULL)
    return g_settings_get_value (self->backend, key);
  return g_variant_ref (g_hash_table_lookup (self->memory, key));
}

void
ts_settings_set (TsSettings *self, const char *key, GVariant *value)
{
  g_autoptr (GVariant) owned = g_variant_ref_sink (value);
  g_autoptr (GVariant) old = ts_settings_get (self, key);

  if (g_variant_equal (old, owned))
    return;
  if (self->backend != NULL)
    {
      g_settings_set_value (self->backend, key, owned);
      return;
    }
  g_hash_table_insert (self->memory, g_strdup (key), g_variant_ref (owned));
  g_signal_emit (self, signals[CHANGED], g_quark_from_string (key), key);
}

gboolean
ts_settings_get_boolean (TsSettings *self, const char *key)
{
  g_autoptr (GVariant) value = ts_settings_get (self, key);

  return g_variant_get_boolean (value);
}

char *
ts_settings_get_string (TsSettings *self, const char *key)
{
  g_autoptr (GVariant) value = ts_settings_get (self, key);

  return g_variant_dup_string (value, NULL);
}
