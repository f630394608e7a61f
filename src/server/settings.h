/*
 * settings.h
 *		The configuration parameters dp_noise.*.
 */
#ifndef DP_SERVER_SETTINGS_H
#define DP_SERVER_SETTINGS_H

#define DP_SETTING_EPSILON_DEFAULT 1.0
#define DP_SETTING_RHO_DEFAULT 0.0
#define DP_SETTING_RHO_LEAST 1e-12
#define DP_SETTING_DELTA_DEFAULT 0.0
#define DP_SETTING_CHOOSE_BOUNDS_DEFAULT 0.2
#define DP_SETTING_CHOOSE_CAPS_DEFAULT 0.0
#define DP_SETTING_CHOOSE_LEAST 0.001
#define DP_SETTING_CHOOSE_MOST 0.9
#define DP_SETTING_MECHANISM_DEFAULT "auto"
#define DP_SETTING_WORK_MEM_DEFAULT 65536
#define DP_SETTING_WORK_MEM_MIN 1024

/* dp_noise.epsilon: privacy loss of an aggregate that names none. */
extern double dp_setting_epsilon;

/* dp_noise.rho: the price of such an aggregate in rho; 0: that of epsilon. */
extern double dp_setting_rho;

/*
 * The epsilon of such an aggregate: dp_noise.epsilon, or the one whose price is
 * dp_noise.rho where that is set.
 */
extern double dp_setting_asked_epsilon(void);

/* Which setting that epsilon comes from. */
typedef enum DpEpsilonSource
{
	DP_EPSILON_OF_DEFAULT, /* neither is set */
	DP_EPSILON_OF_SETTING,
	DP_EPSILON_OF_RHO
} DpEpsilonSource;

/*
 * Whether dp_noise.epsilon or dp_noise.rho is set: in the session, for its role
 * or database, or by those who administer the server.
 */
extern DpEpsilonSource dp_setting_epsilon_source(void);

/*
 * The same as dp_setting_asked_epsilon, but by_budget where neither is set.
 * by_budget: the epsilon that the budgets name; 0: none.
 */
extern double dp_setting_epsilon_or(double by_budget);

/*
 * dp_noise.choose_bounds: the share of an aggregate's epsilon for which bounds are
 * chosen where there are none; 0: it is refused. Statements are planned anew when it
 * changes.
 */
extern double dp_setting_choose_bounds;

/*
 * dp_noise.choose_caps: the share for which a cap on the rows of a unit is chosen; 0:
 * the one that is declared or set is used. Statements are planned anew when it changes.
 */
extern double dp_setting_choose_caps;

/* dp_noise.delta: for selecting the groups of a query; 0: none. */
extern double dp_setting_delta;

/* dp_noise.mechanism: mechanism of an aggregate that names none. */
extern char *dp_setting_mechanism;

/*
 * dp_noise.max_rows_per_unit, max_groups_per_unit: bounds on the contribution
 * of a privacy unit; 0: as the owners say. Statements are planned anew when
 * they change.
 */
extern int dp_setting_max_rows_per_unit;
extern int dp_setting_max_groups_per_unit;

/*
 * dp_noise.rewrite_aggregates: the server's aggregates are read as private ones
 * where their rows cannot be read. Statements are planned anew when it changes.
 */
extern bool dp_setting_rewrite_aggregates;

/*
 * dp_noise.derive_answers: what follows from an answer that the asker may have again
 * is answered from that.
 */
extern bool dp_setting_derive_answers;

/* dp_noise.empty_groups: which groups of public keys are shown. */
typedef enum DpEmptyGroups
{
	DP_EMPTY_GROUPS_AUTO, /* hide, but show values that somebody named */
	DP_EMPTY_GROUPS_HIDE, /* not those that may have no rows */
	DP_EMPTY_GROUPS_SHOW  /* all, with all that was released */
} DpEmptyGroups;

/* A DpEmptyGroups. */
extern int dp_setting_empty_groups;

/* dp_noise.work_mem: memory for each operation beneath a release, in kB. */
extern int dp_setting_work_mem;

typedef enum DpOnNewTimeline
{
	DP_ON_NEW_TIMELINE_WARN,
	DP_ON_NEW_TIMELINE_REFUSE
} DpOnNewTimeline;

/*
 * dp_noise.on_new_timeline: a DpOnNewTimeline, what to do with charges when the
 * ledger may have lost some.
 */
extern int dp_setting_on_new_timeline;

/*
 * A parameter that nobody reads: what a database has as its setting of that
 * name tells it from its copies (ledger/place.c). Only superusers may set it.
 */
#define DP_SETTING_DATABASE_SEAL "dp_noise.database_seal"

/*
 * Changes a parameter, whoever may, until the current level of settings ends
 * (NewGUCNestLevel). One that the server does not have is left.
 */
extern void dp_setting_change(const char *name, const char *value);

/*
 * Begins a level of settings, to be ended by AtEOXact_GUC, under which texts of
 * values do not depend on the user: all digits, dates as in ISO 8601, times of UTC.
 */
extern int dp_setting_plain_texts(void);

/* Defines the parameters; called once, from _PG_init. */
extern void dp_settings_init(void);

#endif
