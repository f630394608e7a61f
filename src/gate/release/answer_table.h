/*
 * answer_table.h
 *		The answers of a release: its rows, and the laws of their noise.
 *
 * The rows are laid out, computed or read from stored answers; scan and EXPLAIN
 * only read them. Their columns are keys, aggregates, ends of intervals; and
 * behind these, which are shown, the noisy sums from which means and variances
 * are computed (aggregates/noisy_sums.h). These sums and the law of the noise are
 * stored with the answer, so that a later question for an interval gets the same
 * one, whatever epsilon or mechanism the session has by then.
 */
#ifndef DP_GATE_RELEASE_ANSWER_TABLE_H
#define DP_GATE_RELEASE_ANSWER_TABLE_H

#include "aggregates/law.h"
#include "aggregates/prepare.h"
#include "gate/release/groups.h"
#include "gate/release/row_table.h"
#include "gate/release/terms.h"

typedef struct DpAnswerTable
{
	const DpReleasePlan *plan;
	const DpOutline *outline; /* The plan's. */
	PlanState *node;		  /* Its memory keeps all that is here. */
	DpTerms *terms;			  /* The terms on which the answers are given. */
	DpGroups *groups;
	DpRowTable *rows; /* The rows; NULL before dp_answer_table_begin. */
	bool is_laid_out; /* All rows are there that are known before the run. */
	bool is_computed; /* The aggregates have run. */

	/* The following are arrays by the number of the aggregate. */
	int *sums_columns;	   /* The column of its noisy sums; -1: it has none. */
	DpLaw **laws;		   /* The law of its noise; NULL: not known yet. */
	DpPrepared **prepared; /* What makes answers of sums; NULL: not yet. */

	/*
	 * By aggregate, then by row: whether the row's noisy count can be told from 0.
	 * NULL: it can in all rows, or the aggregate has no count (empty_groups.h).
	 */
	bool **is_above_zero;
	bool *
		is_hidden; /* By row: it is left out of what is shown; NULL: none is. */

	double *levels; /* Of each end of an interval (gate/read/ends.h). */
} DpAnswerTable;

/* The columns that are shown: expressions, or nulls, of their types. */
extern List *dp_answer_table_shown(const DpReleasePlan *plan);

/* The columns of a statement beneath: some keys, and what is computed. */
extern List *dp_answer_table_computed(List *keys, List *aggregates);

/* Answers without rows. */
extern void dp_answer_table_init(DpAnswerTable *table,
								 const DpReleasePlan *plan, DpTerms *terms,
								 DpGroups *groups);

/*
 * Makes the table of rows, where there is none; without keys it has its one row.
 */
extern void dp_answer_table_begin(DpAnswerTable *table);

/* The column of an aggregate's answers; that of an end of an interval. */
extern int dp_answer_table_column(const DpAnswerTable *table, int aggno);
extern int dp_answer_table_end(const DpAnswerTable *table, int number);

/*
 * Sets the answers of a row, and their sums, from what was computed. values,
 * nulls: beginning with the first aggregate.
 */
extern void dp_answer_table_set(DpAnswerTable *table, int64 row,
								const Datum *values, const bool *nulls);

/*
 * The law of an aggregate's answers: one that was set, of stored answers and of
 * those at privacy levels, or that of the call in this execution.
 */
extern const DpLaw *dp_answer_table_law(DpAnswerTable *table, int aggno);
extern void dp_answer_table_set_law(DpAnswerTable *table, int aggno,
									const DpLaw *law);
/* Sets bounds that were chosen, on which the law depends. */
extern void dp_answer_table_set_bounds(DpAnswerTable *table, int aggno,
									   DpEdge lower, DpEdge upper);

/* The same of a cap. */
extern void dp_answer_table_set_cap(DpAnswerTable *table, int aggno,
									uint32 cap);

extern void dp_answer_table_forget_law(DpAnswerTable *table, int aggno);

#endif
