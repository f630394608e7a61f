/*
 * written.h
 *		Queries and expressions over rows of a tree, written back as the server's.
 */
#ifndef DP_GATE_BOUND_WRITTEN_H
#define DP_GATE_BOUND_WRITTEN_H

#include "gate/tree/kinds.h"
#include "gate/tree/node.h"

/* What is public, and the statement whose result is its copy. */
typedef struct DpCopied
{
	const DpPublicRows *rows;
	Query *statement;
} DpCopied;

/* A query while it is written; the columns of a row are numbered. */
typedef struct DpWritten
{
	/* Adds a node to FROM, and makes its columns the row (from.c). */
	void (*add)(struct DpWritten *written, const DpNode *node);

	/* The query around it; NULL: none. is_in_expr: it is in an expression there. */
	struct DpWritten *around;
	bool is_in_expr;
	Query *query;	  /* FROM and conditions; its targets are added by others */
	List *from;		  /* items of FROM that are not joined yet */
	List *quals;	  /* conditions on them, ANDed: Node */
	Node **row;		  /* by their numbers, the columns that expressions see */
	const char *name; /* of the sub-query that is added; or NULL */

	List **copied; /* of the whole statement: DpCopied, by their numbers */
} DpWritten;

/* An expression over these rows. It must not be shared by two statements. */
extern Node *dp_written_expr(DpWritten *written, const DpExpr *expr);

/* The same for people to read, who did not write the wrapped forms. */
extern Node *dp_written_as_asked(DpWritten *written, const DpExpr *expr);

/* A query within another: its FROM and conditions are those of some rows. */
extern DpWritten dp_written_within(DpWritten *around, const DpNode *rows,
								   bool is_in_expr);

/*
 * The same, which puts the columns out: what it computes is null where an outer
 * join has no match.
 */
extern DpWritten dp_written_query(DpWritten *around, const DpNode *node);

/* Makes FROM and WHERE of what was added. */
extern void dp_written_finish(DpWritten *written);

#endif
