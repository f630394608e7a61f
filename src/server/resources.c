/*
 * resources.c
 *		Resets the asker's settings.
 *
 * There is no list of the settings that matter. All settings that the asker may
 * set are reset, including those of extensions and of later versions, except
 * for a short list of those that stay. The server's own list is read each time:
 * a library loaded meanwhile may have added settings, and placeholders for
 * undefined ones may be gone.
 */
#include "postgres.h"

#include "jit/jit.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/guc_tables.h"

#include "server/compat.h"
#include "server/resources.h"
#include "server/settings.h"

/* Settings that stay as the asker has them. */
static const char *const kept[] = {
	/* cannot be set beneath a release */
	"role",
	"session_authorization",
	"temp_buffers",
	"transaction_deferrable",
	"transaction_isolation",
	"transaction_read_only",

	/* have an effect when they are set, but none on how rows are read */
	"application_name",
	"client_connection_check_interval",
	"seed",
	"stats_fetch_consistency",
	"tcp_keepalives_count",
	"tcp_keepalives_idle",
	"tcp_keepalives_interval",
	"tcp_user_timeout",

	/* end a statement or the session, whatever the rows are */
	"idle_in_transaction_session_timeout",
	"idle_session_timeout",
	"lock_timeout",
	"statement_timeout",
	"transaction_timeout",

	/*
	 * fixed together with the rights to read: gate/relations/role_rights.h
	 */
	"search_path",
};

/* Defaults that depend on the server, or that the server determines itself. */
static const char *const found_out[][2] = {
	{"lc_messages", "C"}, {"timezone_abbreviations", "Default"}};

static bool
is_kept(const char *name)
{
	size_t i;

	if (strncmp(name, "dp_noise.", 9) == 0)
		return true;
	for (i = 0; i < lengthof(kept); i++)
	{
		if (strcmp(name, kept[i]) == 0)
			return true;
	}
	return false;
}

/* True for a value that administrators of the server or database chose. */
static bool
is_administrators(const struct config_generic *setting)
{
	if (setting->source <= PGC_S_DATABASE)
		return true;
	return setting->source != PGC_S_USER &&
		   setting->source != PGC_S_DATABASE_USER &&
		   superuser_arg(setting->srole);
}

static const char *
default_text(const struct config_generic *setting)
{
	size_t i;

	if (strcmp(setting->name, "client_encoding") == 0)
		return GetDatabaseEncodingName();
	for (i = 0; i < lengthof(found_out); i++)
	{
		if (strcmp(setting->name, found_out[i][0]) == 0)
			return found_out[i][1];
	}
	return dp_compat_string_setting(setting)->boot_val;
}

/*
 * A setting's value as text without a unit: what it is reset to, or its
 * default, which is null where nothing is known.
 */
static const char *
text_of(struct config_generic *setting, bool is_reset)
{
	switch (setting->vartype)
	{
		case PGC_BOOL:
		{
			const struct config_bool *one = dp_compat_bool_setting(setting);

			return (is_reset ? one->reset_val : one->boot_val) ? "on" : "off";
		}
		case PGC_INT:
		{
			const struct config_int *one = dp_compat_int_setting(setting);

			return psprintf("%d", is_reset ? one->reset_val : one->boot_val);
		}
		case PGC_REAL:
		{
			const struct config_real *one = dp_compat_real_setting(setting);

			return psprintf("%.17g", is_reset ? one->reset_val : one->boot_val);
		}
		case PGC_STRING:
		{
			const struct config_string *one = dp_compat_string_setting(setting);

			return is_reset ? one->reset_val : default_text(setting);
		}
		case PGC_ENUM:
		{
			const struct config_enum *one = dp_compat_enum_setting(setting);

			return dp_compat_enum_text(setting, is_reset ? one->reset_val
														 : one->boot_val);
		}
	}
	return NULL;
}

static void
set(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_SUSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

/* Compared first, since checking a new text takes time. */
static bool
has_text(const struct config_generic *setting, const char *value)
{
	const char *text;

	if (setting->vartype != PGC_STRING)
		return false;
	text = *dp_compat_string_setting(setting)->variable;
	return text != NULL && strcmp(text, value) == 0;
}

static void
set_back(struct config_generic *setting)
{
	const char *value;

	if ((setting->context != PGC_USERSET && setting->context != PGC_SUSET) ||
		is_administrators(setting) || is_kept(setting->name))
		return;

	/* A value from the connection or the role hides the administrators'. */
	value = text_of(setting, setting->reset_source <= PGC_S_DATABASE);
	if (value == NULL)
		value = ""; /* null would mean the role's value */
	if (!has_text(setting, value))
		set(setting->name, value);
}

/*
 * True for settings from pg_db_role_setting, except those of the user's
 * identity.
 */
static bool
is_of_database(const struct config_generic *setting)
{
	return setting->context == PGC_USERSET && setting->source >= PGC_S_GLOBAL &&
		   setting->source <= PGC_S_DATABASE_USER &&
		   (setting->flags & (GUC_NO_RESET_ALL | GUC_CUSTOM_PLACEHOLDER)) ==
			   0 &&
		   strcmp(setting->name, "synchronous_commit") != 0;
}

static void
forget_database(struct config_generic *setting)
{
	const char *value;

	if (!is_of_database(setting))
		return;
	value = text_of(setting, false);
	if (value != NULL)
		SetConfigOption(setting->name, value, PGC_SUSET, PGC_S_OVERRIDE);
}

static void
for_all_settings(void (*function)(struct config_generic *))
{
	int count;
	struct config_generic **settings = dp_compat_settings(&count);
	int i;

	for (i = 0; i < count; i++)
		function(settings[i]);
}

void
dp_resources_forget_database(void)
{
	for_all_settings(forget_database);
}

void
dp_resources_fix(void)
{
	char memory[16];

	for_all_settings(set_back);
	if (work_mem != dp_setting_work_mem)
	{
		snprintf(memory, sizeof(memory), "%d", dp_setting_work_mem);
		set("work_mem", memory);
	}

	/* JIT compilation takes memory, and is chosen by estimates of rows. */
	if (jit_enabled)
		set("jit", "off");
	if (strcmp(GetConfigOption("temp_tablespaces", false, false), "") != 0)
		set("temp_tablespaces", "");

	/*
	 * Whether a limit is reached reveals something about the rows that were
	 * spilled.
	 */
	if (strcmp(GetConfigOption("temp_file_limit", false, false), "-1") != 0)
		set("temp_file_limit", "-1");

	/* An index would return a random part of the rows. */
	if (strcmp(GetConfigOption("gin_fuzzy_search_limit", false, false), "0") !=
		0)
		set("gin_fuzzy_search_limit", "0");
}
