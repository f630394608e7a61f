/*
 * worker_settings.c
 *		The settings that the ledger's worker runs with.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "ledger/worker_settings.h"
#include "server/resources.h"

/* How long to wait for locks on the ledger's tables. */
#define TABLE_LOCK_TIMEOUT "2s"

void
dp_worker_settings_override(void)
{
	static const struct
	{
		const char *name;
		const char *value;
	} settings[] = {
		{"role", "none"},
		{"default_transaction_read_only", "off"},
		{"default_transaction_isolation", "read committed"},
		{"lock_timeout", TABLE_LOCK_TIMEOUT},
		{"statement_timeout", "0"},
		{"idle_in_transaction_session_timeout", "0"},
		{"idle_session_timeout", "0"},
		{"exit_on_error", "off"},
		{"transform_null_equals", "off"},
		{"array_nulls", "on"},
		{"restrict_nonsystem_relation_kind", ""}, /* pg_dump sets it */
		{"transaction_timeout", "0"},			  /* where the server has it */
		{"search_path", "pg_catalog, pg_temp"},
		{"session_replication_role", "origin"},
		{"row_security", "on"},

		/* Tables are small when its plans are made, and grow. */
		{"enable_seqscan", "off"},
		{"enable_hashjoin", "off"},
		{"enable_mergejoin", "off"},
		{"jit", "off"}, /* would compile for longer than all it runs */

		/* The server's log may show plans, and custom ones quote answers. */
		{"plan_cache_mode", "force_generic_plan"},
		{"auto_explain.log_min_duration", "-1"},
	};
	int i;

	dp_resources_forget_database();

	/* The setting of that name only takes names, and needs a transaction. */
	SetSessionAuthorization(BOOTSTRAP_SUPERUSERID, true);
	for (i = 0; i < (int) lengthof(settings); i++)
	{
		if (GetConfigOption(settings[i].name, true, false) != NULL)
			SetConfigOption(settings[i].name, settings[i].value, PGC_SUSET,
							PGC_S_OVERRIDE);
	}
}
