/*
 * released.h
 *		What a block's expressions become: columns of the released rows.
 *
 * Whatever comes after grouping works on released rows, so any SQL is allowed
 * there. Their columns: the keys, the aggregates, the ends of intervals, and, of
 * several groupings, the number of the row's from 1.
 */
#ifndef DP_GATE_READ_RELEASED_H
#define DP_GATE_READ_RELEASED_H

#include "gate/facts/range.h"
#include "gate/read/ends.h"
#include "gate/read/scope.h"

/* What aggregates are read over. */
typedef struct DpAskedRows
{
	DpScope *scope;			   /* of the question */
	const DpNode *rows;		   /* complete */
	const DpColumnFact *known; /* of their columns: dp_range_of_counted */
	bool several;			   /* a unit may have several of them */
} DpAskedRows;

/*
 * Reads one aggregate (asked.c): functions of constants are evaluated; bounds, or
 * values, that the owner declared fill in omitted ones.
 *
 * Errors: insufficient_privilege (not one of the extension's aggregates);
 * feature_not_supported, invalid_parameter_value (no bounds), with a position and
 * a hint.
 */
extern DpAsked *dp_asked_read(const DpAskedRows *rows, const Aggref *written);

/*
 * What is grouped by, as it is written: GROUP BY, GROUPING SETS, ROLLUP and CUBE.
 * All groupings of a block are one question. Their rows are one after the other,
 * with null for keys that are not a grouping's own, and its number in a column
 * behind all others, from which GROUPING follows.
 */
typedef struct DpWrittenGroupings
{
	List *keys;		  /* of Node: all of them */
	List *sets;		  /* of Bitmapset: of each grouping the keys, from 0 */
	List *refs;		  /* beside keys: integers, by which GROUPING names them */
	bool are_several; /* or there may be, or GROUPING is defined */
} DpWrittenGroupings;

/*
 * Refuses window functions and functions that return sets beside several
 * groupings: feature_not_supported, with a hint.
 */
extern void dp_released_check_groupings(const Query *query);

/* Error: feature_not_supported for many groupings. */
extern DpWrittenGroupings dp_released_groupings(const Query *query);

typedef struct DpReleasedColumns
{
	const DpWrittenGroupings *written;

	/*
	 * Beside its keys: what each was read as (const DpExpr), and its number among
	 * the question's keys, from 0; -1: it has one value for all rows, a constant
	 * or a parameter.
	 */
	List *read;
	List *numbers;

	List *keys; /* the question's: of const DpExpr */
	const DpAskedRows *rows;
	List *aggrefs;	  /* as the block has them, once each */
	List *aggregates; /* parallel: DpAsked */
	DpEnds *ends;
	const Aggref
		*end; /* while a call of dp_low or dp_high around it is replaced */
	Var *end_column;
} DpReleasedColumns;

/*
 * Replaces keys and aggregates in a block's targets and HAVING by columns of the
 * released rows, and collects the aggregates and the ends of intervals. Errors:
 * feature_not_supported for other columns; those of dp_asked_read.
 */
extern void dp_released_replace(Query *block, DpReleasedColumns *released);

#endif
