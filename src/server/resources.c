/*
 * resources.c
 *		Sets back what whoever asks has set.
 *
 * Which settings these are is known by their group in the server's own list,
 * and a few more by their names. The list is searched once a process: what it
 * points to stays where it is.
 */
#include "postgres.h"

#include "jit/jit.h"
#include "miscadmin.h"
#include "utils/guc_tables.h"
#include "utils/memutils.h"

#include "server/compat.h"
#include "server/resources.h"
#include "server/settings.h"

/* Settings of other groups that decide on memory and plans. */
static const char *const others[] = {"debug_parallel_query",
									 "force_parallel_mode",
									 "jit_expressions",
									 "jit_tuple_deforming",
									 "max_parallel_workers",
									 "max_parallel_workers_per_gather",
									 "parallel_leader_participation"};

static struct config_generic **settings = NULL;
static int setting_count = 0;

/* temp_buffers cannot be changed once there are temporary tables. */
static bool
concerns_resources(const struct config_generic *setting)
{
	size_t i;

	if (setting->context != PGC_USERSET)
		return false;
	if (setting->group == RESOURCES_MEM)
		return strcmp(setting->name, "temp_buffers") != 0;
	if (setting->group >= QUERY_TUNING_METHOD &&
		setting->group <= QUERY_TUNING_OTHER)
		return true;
	for (i = 0; i < lengthof(others); i++)
	{
		if (strcmp(setting->name, others[i]) == 0)
			return true;
	}
	return false;
}

static void
find_settings(void)
{
	int all;
	struct config_generic **list = dp_compat_settings(&all);
	int i;

	settings = MemoryContextAlloc(TopMemoryContext, all * SIZEOF_VOID_P);
	for (i = 0; i < all; i++)
	{
		if (concerns_resources(list[i]))
			settings[setting_count++] = list[i];
	}
}

/* True for a value that those who administer the server or database chose. */
static bool
is_administrators(const struct config_generic *setting)
{
	if (setting->source <= PGC_S_DATABASE)
		return true;
	return setting->source != PGC_S_USER &&
		   setting->source != PGC_S_DATABASE_USER &&
		   superuser_arg(setting->srole);
}

/* Its default, in the text form of a value without a unit. */
static const char *
default_of(struct config_generic *setting)
{
	switch (setting->vartype)
	{
		case PGC_BOOL:
			return ((struct config_bool *) setting)->boot_val ? "on" : "off";
		case PGC_INT:
			return psprintf("%d", ((struct config_int *) setting)->boot_val);
		case PGC_REAL:
			return psprintf("%.17g",
							((struct config_real *) setting)->boot_val);
		case PGC_STRING:
			return ((struct config_string *) setting)->boot_val;
		case PGC_ENUM:
			return config_enum_lookup_by_value(
				(struct config_enum *) setting,
				((struct config_enum *) setting)->boot_val);
	}
	return NULL;
}

static void
set(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_SUSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

/* From pg_db_role_setting, and without meaning for who the user is. */
static bool
is_of_database(const struct config_generic *setting)
{
	return setting->context == PGC_USERSET && setting->source >= PGC_S_GLOBAL &&
		   setting->source <= PGC_S_DATABASE_USER &&
		   (setting->flags & (GUC_NO_RESET_ALL | GUC_CUSTOM_PLACEHOLDER)) ==
			   0 &&
		   strcmp(setting->name, "synchronous_commit") != 0;
}

void
dp_resources_forget_database(void)
{
	int count;
	struct config_generic **list = dp_compat_settings(&count);
	int i;

	for (i = 0; i < count; i++)
	{
		const char *value;

		if (!is_of_database(list[i]))
			continue;
		value = default_of(list[i]);
		if (value != NULL)
			SetConfigOption(list[i]->name, value, PGC_SUSET, PGC_S_OVERRIDE);
	}
}

void
dp_resources_fix(void)
{
	char memory[16];
	int i;

	if (settings == NULL)
		find_settings();
	for (i = 0; i < setting_count; i++)
	{
		struct config_generic *setting = settings[i];

		if (is_administrators(setting))
			continue;
		set(setting->name, setting->reset_source <= PGC_S_DATABASE
							   ? GetConfigOptionResetString(setting->name)
							   : default_of(setting));
	}
	if (work_mem != dp_setting_work_mem)
	{
		snprintf(memory, sizeof(memory), "%d", dp_setting_work_mem);
		set("work_mem", memory);
	}

	/* A compiler's memory, where the estimates make it worth while. */
	if (jit_enabled)
		set("jit", "off");
	if (strcmp(GetConfigOption("temp_tablespaces", false, false), "") != 0)
		set("temp_tablespaces", "");

	/* Whether a limit is met tells of the rows that were spilled. */
	if (strcmp(GetConfigOption("temp_file_limit", false, false), "-1") != 0)
		set("temp_file_limit", "-1");
}
