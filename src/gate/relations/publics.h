/*
 * publics.h
 *		What is public in a block: tables, views, functions and sub-queries that
 *		read nothing protected.
 *
 * It is read with the asker's own rights, completely, once per execution,
 * before anything protected is opened; the inner statement reads the copy. So
 * nothing shows which of its rows were matched: no pruned pages, no dead index
 * entries, no errors, no counters.
 */
#ifndef DP_GATE_RELATIONS_PUBLICS_H
#define DP_GATE_RELATIONS_PUBLICS_H

#include "nodes/extensible.h"

#include "gate/relations/relations.h"

/* The type among extensible nodes. */
#define DP_PUBLIC_NAME "DP Public"

/* Part of plans. */
typedef struct DpPublic
{
	ExtensibleNode extensible;
	char *name;	   /* as it is called in the query */
	List *params;  /* query parameters that its rows depend on */
	Oid relation;  /* an ordinary table; InvalidOid: anything else */
	List *key;	   /* columns that no two rows may agree in; NIL: any may */
	bool is_whole; /* it has all rows of the relation */
	bool is_shown; /* the asker may read all of it: its values are public */
	Query *rows;   /* not in plans */
} DpPublic;

/*
 * True for an entry of FROM that is public: it reads nothing protected, and
 * nothing of the queries around it.
 */
extern bool dp_publics_is_public(const RangeTblEntry *rte);

/* True for a query that reads a protected relation anywhere. */
extern bool dp_publics_reads_protected(Query *query);

/* True for a query that refers to an outer one. */
extern bool dp_publics_refers_outward(Query *query);

/* True for a query that reads the answers of a block. */
extern bool dp_publics_reads_release(Query *query);

/* True for a query that always returns exactly one row. */
extern bool dp_publics_has_one_row(const Query *query);

/*
 * Refuse what the server could not read twice, or not from a copy; and a query
 * for such a copy that the user may not run.
 */
extern void dp_publics_check(const RangeTblEntry *rte, int location);
extern void dp_publics_check_privileges(const Query *rows);

/* The node of a copy. name: as it is called. */
extern DpPublic *dp_publics_make(Query *rows, const char *name);

/* The entry of a FROM item that reads a copy; else NULL. */
extern DpPublic *dp_publics_of(const DpRelations *relations,
							   const RangeTblEntry *rte);

/* The name, while a statement runs, of a copy's rows. number: from 1. */
extern char *dp_publics_name(int number);

/* True for such a name, and its number; 0: it is another. */
extern bool dp_publics_is_name(const char *name);
extern int dp_publics_number(const char *name);

/* Registers the node; called from dp_release_path_init. */
extern void dp_publics_init(void);

#endif
