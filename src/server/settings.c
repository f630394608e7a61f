/*
 * settings.c
 *		Definition of the configuration parameters.
 *
 * Most belong to the asker: they decide how accurate and how expensive an
 * answer is, and cannot weaken what a budget promises. The resources that a
 * release may use are chosen by the administrators.
 */
#include "postgres.h"

#include <limits.h>

#include "utils/guc.h"
#include "utils/guc_tables.h"
#include "utils/plancache.h"

#include "core/epsilon.h"
#include "mechanisms/mechanism.h"
#include "mechanisms/zcdp.h"
#include "server/compat.h"
#include "server/report.h"
#include "server/settings.h"

double dp_setting_epsilon = DP_SETTING_EPSILON_DEFAULT;
double dp_setting_rho = DP_SETTING_RHO_DEFAULT;
double dp_setting_delta = DP_SETTING_DELTA_DEFAULT;
double dp_setting_choose_bounds = DP_SETTING_CHOOSE_BOUNDS_DEFAULT;
double dp_setting_choose_caps = DP_SETTING_CHOOSE_CAPS_DEFAULT;
char *dp_setting_mechanism = NULL;
int dp_setting_max_rows_per_unit = 0;
int dp_setting_max_groups_per_unit = 0;
bool dp_setting_rewrite_aggregates = true;
bool dp_setting_derive_answers = true;
int dp_setting_empty_groups = DP_EMPTY_GROUPS_AUTO;
int dp_setting_work_mem = DP_SETTING_WORK_MEM_DEFAULT;
int dp_setting_on_new_timeline = DP_ON_NEW_TIMELINE_WARN;

static char *database_seal = NULL;

static const struct config_enum_entry empty_groups_values[] = {
	{"auto", DP_EMPTY_GROUPS_AUTO, false},
	{"hide", DP_EMPTY_GROUPS_HIDE, false},
	{"show", DP_EMPTY_GROUPS_SHOW, false},
	{NULL, 0, false}};

static const struct config_enum_entry on_new_timeline_values[] = {
	{"warn", DP_ON_NEW_TIMELINE_WARN, false},
	{"refuse", DP_ON_NEW_TIMELINE_REFUSE, false},
	{NULL, 0, false}};

static bool
check_mechanism(char **value, void **extra, GucSource source)
{
	DpMechanismChoice choice;

	(void) extra;
	(void) source;
	if (dp_mechanism_parse(*value, &choice) == DP_MECHANISM_VALID)
		return true;
	GUC_check_errdetail("Available mechanisms: %s.", dp_mechanism_names());
	return false;
}

static bool
check_rho(double *value, void **extra, GucSource source)
{
	(void) extra;
	(void) source;
	if (*value == 0 || *value >= DP_SETTING_RHO_LEAST)
		return true;
	GUC_check_errdetail("Rho must be 0 or at least %g.", DP_SETTING_RHO_LEAST);
	return false;
}

static bool
check_share(double *value, void **extra, GucSource source)
{
	(void) extra;
	(void) source;
	if (*value == 0 || *value >= DP_SETTING_CHOOSE_LEAST)
		return true;
	GUC_check_errdetail("The share must be 0 or at least %g.",
						DP_SETTING_CHOOSE_LEAST);
	return false;
}

double
dp_setting_asked_epsilon(void)
{
	DpRho rho;
	DpEpsilon epsilon;

	if (dp_setting_rho == 0)
		return dp_setting_epsilon;
	rho.ticks = (dp_int128) (dp_setting_rho * (double) DP_RHO_ONE);
	dp_report_status(dp_zcdp_to_pure(rho, &epsilon));
	return dp_epsilon_to_double(epsilon);
}

/* The server's entry for dp_noise.epsilon, which does not move. */
static const struct config_generic *
find_epsilon(void)
{
	static const struct config_generic *found = NULL;
	struct config_generic **settings;
	int count;
	int i;

	if (found != NULL)
		return found;
	settings = dp_compat_settings(&count);
	for (i = 0; i < count; i++)
	{
		if (settings[i]->vartype == PGC_REAL &&
			dp_compat_real_setting(settings[i])->variable ==
				&dp_setting_epsilon)
			found = settings[i];
	}
	if (found == NULL)
		elog(ERROR, "dp_noise.epsilon is not defined");
	return found;
}

DpEpsilonSource
dp_setting_epsilon_source(void)
{
	if (dp_setting_rho != 0)
		return DP_EPSILON_OF_RHO;
	return find_epsilon()->source > PGC_S_DYNAMIC_DEFAULT
			   ? DP_EPSILON_OF_SETTING
			   : DP_EPSILON_OF_DEFAULT;
}

double
dp_setting_epsilon_or(double by_budget)
{
	if (by_budget > 0 && dp_setting_epsilon_source() == DP_EPSILON_OF_DEFAULT)
		return by_budget;
	return dp_setting_asked_epsilon();
}

/* Makes statements be planned anew, since plans contain these limits. */
static void
plan_anew(int value, void *extra)
{
	(void) value;
	(void) extra;
	ResetPlanCache();
}

static void
plan_anew_real(double value, void *extra)
{
	(void) value;
	(void) extra;
	ResetPlanCache();
}

static void
plan_anew_bool(bool value, void *extra)
{
	(void) value;
	(void) extra;
	ResetPlanCache();
}

void
dp_setting_change(const char *name, const char *value)
{
	const char *now = GetConfigOption(name, true, false);

	if (now != NULL && strcmp(now, value) != 0) /* which takes less time */
		(void) set_config_option(name, value, PGC_SUSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
}

int
dp_setting_plain_texts(void)
{
	int nest = NewGUCNestLevel();

	dp_setting_change("DateStyle", "ISO, YMD");
	dp_setting_change("IntervalStyle", "postgres");
	dp_setting_change("extra_float_digits", "1");
	dp_setting_change("TimeZone", "UTC");
	return nest;
}

/* What an aggregate or a query asks to pay. */
static void
define_prices(void)
{
	DefineCustomRealVariable(
		"dp_noise.epsilon",
		"Sets the privacy loss of an aggregate that names no epsilon.",
		"Without unit, per aggregate, from 2^-20 (about 9.54e-7) to 1000000; "
		"smaller is more private and less exact.",
		&dp_setting_epsilon, DP_SETTING_EPSILON_DEFAULT, DP_EPSILON_MIN,
		DP_EPSILON_MAX, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomRealVariable(
		"dp_noise.rho",
		"Sets the price in rho of an aggregate that names no epsilon.",
		"Without unit, per aggregate, from 1e-12 to 1000000: it asks for the "
		"epsilon that costs this much, epsilon tanh(epsilon/2), and overrides "
		"dp_noise.epsilon. 0: dp_noise.epsilon applies.",
		&dp_setting_rho, DP_SETTING_RHO_DEFAULT, 0.0, DP_EPSILON_MAX,
		PGC_USERSET, 0, check_rho, NULL, NULL);
	DefineCustomRealVariable(
		"dp_noise.delta",
		"Sets the probability with which groups may reveal one privacy unit.",
		"Without unit, per query that groups by values that are not public, "
		"from 0 (such groups are refused) to 1; well below 1 / (number of "
		"people), such as 1e-6.",
		&dp_setting_delta, DP_SETTING_DELTA_DEFAULT, 0.0, 1.0, PGC_USERSET, 0,
		NULL, NULL, NULL);
	DefineCustomRealVariable(
		"dp_noise.choose_bounds",
		"Sets the share of epsilon for which an aggregate chooses its bounds.",
		"Without unit, from 0.001 to 0.9, of avg, sum, min, max, stddev and "
		"variance over a protected relation for which no bounds are written, "
		"declared or derived. 0: they are refused.",
		&dp_setting_choose_bounds, DP_SETTING_CHOOSE_BOUNDS_DEFAULT, 0.0,
		DP_SETTING_CHOOSE_MOST, PGC_USERSET, 0, check_share, plan_anew_real,
		NULL);
	DefineCustomRealVariable(
		"dp_noise.choose_caps",
		"Sets the share of epsilon for which an aggregate chooses how many "
		"rows of a privacy unit count.",
		"Without unit, from 0.001 to 0.9, of count, sum, avg, stddev and "
		"variance over people with several rows: at most as many as are "
		"declared or set with dp_noise.max_rows_per_unit. 0: just as many.",
		&dp_setting_choose_caps, DP_SETTING_CHOOSE_CAPS_DEFAULT, 0.0,
		DP_SETTING_CHOOSE_MOST, PGC_USERSET, 0, check_share, plan_anew_real,
		NULL);
}

/* How questions are read and answered. */
static void
define_questions(void)
{
	DefineCustomStringVariable(
		"dp_noise.mechanism",
		"Sets the mechanism of an aggregate that names none.",
		"A name, or name(parameter=value, ...); auto takes the best for each "
		"aggregate.",
		&dp_setting_mechanism, DP_SETTING_MECHANISM_DEFAULT, PGC_USERSET, 0,
		check_mechanism, NULL, NULL);
	DefineCustomIntVariable(
		"dp_noise.max_rows_per_unit",
		"Sets how many rows of a privacy unit count in a group of a query.",
		"Noise grows with it. 0: as the owners of the protected relations "
		"declared. It matters only where a unit may have several rows.",
		&dp_setting_max_rows_per_unit, 0, 0, INT_MAX, PGC_USERSET, 0, NULL,
		plan_anew, NULL);
	DefineCustomIntVariable(
		"dp_noise.max_groups_per_unit",
		"Sets in how many groups of a query a privacy unit counts.",
		"Noise grows with it. 0: as the owners of the protected relations "
		"declared. It matters only where a unit may have several rows.",
		&dp_setting_max_groups_per_unit, 0, 0, INT_MAX, PGC_USERSET, 0, NULL,
		plan_anew, NULL);
	DefineCustomBoolVariable(
		"dp_noise.rewrite_aggregates",
		"Sets whether the server's aggregates are read as private ones.",
		"In queries of a protected relation by roles that have a budget for it "
		"and may not read it: count(*) as dp_count(*), avg(x) as dp_mean(x). "
		"Off: they are refused.",
		&dp_setting_rewrite_aggregates, true, PGC_USERSET, 0, NULL,
		plan_anew_bool, NULL);
	DefineCustomBoolVariable(
		"dp_noise.derive_answers",
		"Sets whether answers are derived from stored ones.",
		"A question about some groups of one that its asker has got answered "
		"is answered from that, free, if it errs no more than it would. Off: "
		"it is charged.",
		&dp_setting_derive_answers, true, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable(
		"dp_noise.empty_groups",
		"Sets whether groups that may have no rows are shown.",
		"Of public keys: hide leaves out groups all of whose noisy counts have "
		"0 in their 95% intervals; auto does so where the values of a key were "
		"found in public tables or between bounds, and shows declared and "
		"named ones; show shows all. It changes no question and no price.",
		&dp_setting_empty_groups, DP_EMPTY_GROUPS_AUTO, empty_groups_values,
		PGC_USERSET, 0, NULL, NULL, NULL);
}

/* What analysts may not set. */
static void
define_of_administrators(void)
{
	DefineCustomIntVariable(
		"dp_noise.work_mem",
		"Sets the memory for each operation of a query over a protected "
		"relation.",
		"In kB unless another unit is given, from 1 MB. It replaces work_mem "
		"there, which anybody may set. More rows go to temporary files.",
		&dp_setting_work_mem, DP_SETTING_WORK_MEM_DEFAULT,
		DP_SETTING_WORK_MEM_MIN, MAX_KILOBYTES, PGC_SUSET, GUC_UNIT_KB, NULL,
		NULL, NULL);
	DefineCustomEnumVariable(
		"dp_noise.on_new_timeline",
		"Sets whether charges continue where the ledger may lack some.",
		"After a promotion, a restore or a copy of the database: warn, in the "
		"server's log and dp_noise.check(), or refuse all charges until "
		"dp_noise.accept_timeline() is called. In a copy by CREATE DATABASE "
		"all are refused until a superuser calls it.",
		&dp_setting_on_new_timeline, DP_ON_NEW_TIMELINE_WARN,
		on_new_timeline_values, PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable(
		DP_SETTING_DATABASE_SEAL, "Tells a database from its copies.",
		"A random number that the ledger gives to its database, for nobody to "
		"set: without it all charges are refused until a superuser calls "
		"dp_noise.accept_timeline().",
		&database_seal, "", PGC_SUSET, GUC_NOT_IN_SAMPLE | GUC_DISALLOW_IN_FILE,
		NULL, NULL, NULL);
}

void
dp_settings_init(void)
{
	define_prices();
	define_questions();
	define_of_administrators();
}
