/*
 * between_steps.h
 *		Goes through the values of a column between bounds, for between.c and
 *		between_together.c.
 */
#ifndef DP_GATE_FACTS_BETWEEN_STEPS_H
#define DP_GATE_FACTS_BETWEEN_STEPS_H

#include "nodes/execnodes.h"

#include "gate/facts/pace.h"
#include "gate/facts/range.h"
#include "server/ordered_type.h"

/* The most values that are visited and released. */
#define DP_BETWEEN_MOST 1000000

/* The most that are computed once more in each execution. */
#define DP_BETWEEN_MOST_ZONED 50000

/* A column with both bounds: declared ones, narrowed by those of conditions. */
typedef struct DpBetween
{
	Oid type; /* a base type */
	const DpOrderedType *ordered;
	bool is_stated;	  /* conditions state both */
	bool is_narrowed; /* they state one, or leave null out */
	bool is_nullable; /* they leave null in */
	bool has_numbers;
	int64 numbers[2]; /* of integers, dates and times: within the bounds */
	Datum ends[2];	  /* the bounds as values of the column */
} DpBetween;

/*
 * Finds the bounds of a column of which this much is known. False without bounds;
 * then how they are declared may be missing.
 */
extern bool dp_between_bounds(const DpNode *rows, const DpColumnFact *fact,
							  const DpExpr *column, DpBetween *bounds,
							  const char **missing);

/* The numbers of a column's values that are visited. */
typedef struct DpSteps
{
	int64 first;
	int64 step;
	int64 last; /* is visited, too */
} DpSteps;

/* False where they are too many. */
extern bool dp_between_steps(const DpBetween *bounds, DpPace pace, int64 most,
							 DpSteps *steps);

/* Goes on to the next number; false after the last. */
extern bool dp_between_go_on(const DpSteps *steps, int64 *number);

/* Expressions over a column, evaluated with a parameter in its place. */
typedef struct DpEvaluation
{
	EState *executor;
	ExprContext *context;
	ParamExternData *param;
	Oid type;
	List *states; /* beside the expressions */
} DpEvaluation;

/* type: the column's base type. */
extern DpEvaluation dp_evaluation_begin(const List *exprs, Oid type);
extern void dp_evaluation_end(DpEvaluation *evaluation);

/* The column has another value from now on: a number's, or null. */
extern void dp_evaluation_set(DpEvaluation *evaluation, int64 number);
extern void dp_evaluation_set_null(DpEvaluation *evaluation);

/* The value of one of the expressions, until the column has another one. */
extern Datum dp_evaluation_of(const DpEvaluation *evaluation, int expr,
							  bool *isnull);

#endif
