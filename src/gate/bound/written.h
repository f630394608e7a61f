/*
 * written.h
 *		Rows and expressions of a tree, written back as the server's.
 *
 * Scans, what is public and joins stand side by side in one FROM; conditions of
 * inner joins are ANDed in WHERE. Groups, windows and unions are sub-queries in
 * FROM, so is what computes columns on the nullable side of a left join. Protected
 * relations are read with their owners' rights; of what is public its copy is
 * read, by a name (gate/relations/publics.h).
 */
#ifndef DP_GATE_BOUND_WRITTEN_H
#define DP_GATE_BOUND_WRITTEN_H

#include "gate/bound/key.h"
#include "gate/bound/outline.h"
#include "gate/tree/kinds.h"
#include "gate/tree/node.h"

/* What is public, and the statement whose result is its copy. */
typedef struct DpCopied
{
	const DpPublicRows *rows;
	Query *statement;
} DpCopied;

/* The number of a column of such rows in their copy, from 1. */
extern AttrNumber dp_written_attribute(const DpPublicRows *rows, int column);

/* A query while it is written; the columns of a row are numbered. */
typedef struct DpWritten
{
	/* The query that has it in its FROM, or in an expression. NULL: none. */
	struct DpWritten *around;
	bool is_in_expr;
	Query *query;	  /* FROM and conditions; its targets are added by others */
	List *from;		  /* what is still to be joined: items of FROM */
	List *quals;	  /* and conditions of that, ANDed: Node */
	Node **row;		  /* the columns that expressions see */
	const char *name; /* of the sub-query that is added; or NULL */

	List **copied; /* of the whole statement: DpCopied, by their numbers */
} DpWritten;

/* Writes FROM and WHERE for some rows. copied: a list to add to. */
extern DpWritten *dp_written_rows(const DpNode *rows, List **copied);

/* An expression over these rows. It must not be shared by two statements. */
extern Node *dp_written_expr(DpWritten *written, const DpExpr *expr);

/* The same for people to read, who did not write the wrapped forms. */
extern Node *dp_written_as_asked(DpWritten *written, const DpExpr *expr);

/*
 * The following are for the other files of this folder.
 */

/* Adds a node to the FROM of a query; *row: its columns. */
extern void dp_written_add(DpWritten *written, const DpNode *node);

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

/* What dp_written_add does for groups, windows and unions (combined.c). */
extern Query *dp_combined_group(DpWritten *around, const DpGroup *group);
extern Query *dp_combined_window(DpWritten *around, const DpWindow *window);
extern Query *dp_combined_union(DpWritten *around, const DpNode *node);

/*
 * outlined.c: what a question asks, as plans and the ledger need it
 */

/*
 * The relations that it reads, whose populations are charged. written: its rows,
 * whose statement becomes the frame; copied: DpCopied, complete.
 */
extern void dp_outlined_relations(const DpQuestion *question,
								  const DpGrouping *grouping,
								  DpWritten *written, List *copied,
								  DpRelations *relations);

/* One of its keys, DpKey. */
extern DpKey *dp_outlined_key(const DpQuestion *question, int number,
							  DpWritten *written);

/*
 * Those of its keys that a grouping finds together, DpKeyTuples, by their places
 * among some numbers of keys.
 */
extern List *dp_outlined_tuples(const DpGrouping *grouping, List *numbers);

/*
 * Its aggregates, and what is known of them beside: whether the first argument has
 * a value in every row, whether bounds were derived, their forms
 * (gate/facts/fingerprint.h). The outline has its keys.
 */
extern void dp_outlined_aggregates(const DpQuestion *question,
								   DpWritten *written, DpOutline *outline);

/*
 * Calls in it whose parameters could make them fail, as they are asked. Whoever
 * knows the values calls them with harmless ones in place of columns, so that an
 * error says nothing about a row.
 */
extern List *dp_outlined_probes(const DpQuestion *question);

/*
 * Whether what is public in it, or in the domains of keys, may be other rows for
 * other roles: then an answer is not shared.
 */
extern bool dp_outlined_is_of_role(const List *copied,
								   const DpOutline *outline);

#endif
