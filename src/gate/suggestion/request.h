/*
 * request.h
 *		What dp_noise.suggest() is asked for.
 */
#ifndef DP_GATE_SUGGESTION_REQUEST_H
#define DP_GATE_SUGGESTION_REQUEST_H

#include "postgres.h"

#include "fmgr.h"

#include "accounting/amount.h"
#include "gate/suggestion/unit_counts.h"

/* What can be suggested. */
typedef enum DpSetting
{
	DP_SETTING_MAX_ROWS,
	DP_SETTING_MAX_GROUPS,
	DP_SETTING_BOUNDS,
	DP_SETTINGS
} DpSetting;

/* Its name in SQL. */
extern const char *const dp_setting_names[DP_SETTINGS];

typedef struct DpSuggestion
{
	DpSetting setting;
	AttrNumber column; /* of bounds */

	/* What was found: of a cap one, of bounds the upper and the lower one. */
	const char *texts[DP_WALKS];
} DpSuggestion;

/* One call. */
typedef struct DpSuggesting
{
	Oid relation;
	DpUnits units;
	DpAmount asked;	   /* of each suggestion */
	DpEpsilon epsilon; /* that may be used for it; at least 2 units */
	double later;	   /* epsilon_later */
	bool wants[DP_SETTINGS];
	bool wants_all; /* that apply: none was named */
	List *group_by; /* columns, as integers */
	List *suggestions;
} DpSuggesting;

/*
 * Reads the arguments of dp_suggest but the relation; of that and its units all is
 * set. Refuses all that can be refused. Errors: null_value_not_allowed,
 * invalid_parameter_value, undefined_column, feature_not_supported (types),
 * program_limit_exceeded.
 */
extern void dp_suggestion_read(FunctionCallInfo fcinfo, DpSuggesting *s);

#endif
