/*
 * row_copies.h
 *		Statements that read copies of a relation's rows instead of it.
 *
 * Which rows a join reads of one relation depends on the rows of the others,
 * and reading leaves traces: pruned pages, dead index entries, and, on a
 * foreign server, the queries themselves. The owner of a table, or whoever may
 * write to it, could see these. So rows are copied, completely, before they
 * are joined: always those of tables that are looked up, and those of
 * protected relations where anybody but their common owner can reach one of
 * them.
 *
 * So are rows that Citus keeps on other nodes, also those of a single relation:
 * the statement that reads them, columns of one relation, is all that Citus gets
 * to see. What is computed from them, and the noise, stays on this server.
 */
#ifndef DP_GATE_RELATIONS_ROW_COPIES_H
#define DP_GATE_RELATIONS_ROW_COPIES_H

#include "gate/relations/relations.h"

/*
 * SELECT * FROM an item of a query, with the rights with which it is read
 * there. conditions: of columns of 1, as which it is read; NIL: of all rows.
 */
extern Query *dp_row_copies_query(const Query *from, int rtindex,
								  List *conditions);

/* FROM reads the rows of a query, by a name, instead of a relation. */
extern void dp_row_copies_read(RangeTblEntry *rte, const Query *rows,
							   char *name);

/*
 * Whether relations have several owners, or one of them is not a table of its
 * owner's alone, or is kept on other nodes.
 */
extern bool dp_row_copies_are_needed(const DpRelations *relations);

/*
 * Makes statements over protected relations read copies, by the names of
 * dp_row_copies_name, where several relations are open to others, or one is kept
 * on other nodes. statements:
 * of Query, NULL left out; all of the same block. conditions: of each relation a list
 * of those that rows are copied for (dp_row_copies_query), NIL for all rows. Returns the
 * queries for the copies, one a relation; NIL where the statements are left as they are.
 */
extern List *dp_row_copies_read_all(const DpRelations *relations,
									List *statements, List *conditions);

/*
 * Refuses statements that name columns of relations on other nodes of which the type or
 * collation is somebody else's, who may add a check to a type, or make another of its
 * name there, which would run with the rights of the relation's owner; or of which the
 * values come as texts. Error: feature_not_supported.
 */
extern void dp_row_copies_check_types(const DpRelations *relations,
									  List *statements);

/* The name, while a statement runs, of the copy of that number, from 1. */
extern char *dp_row_copies_name(int number);

/* The number in such a name; 0: it is another. */
extern int dp_row_copies_number(const char *name);

#endif
