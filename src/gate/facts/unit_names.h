/*
 * unit_names.h
 *		Columns that name the privacy unit of a row.
 *
 * What names there are, and what they are good for, says gate/facts/owner.h.
 */
#ifndef DP_GATE_FACTS_UNIT_NAMES_H
#define DP_GATE_FACTS_UNIT_NAMES_H

#include "gate/facts/equalities.h"
#include "gate/tree/node.h"

/* Steps of paths that a query may have; names are looked for along as many. */
#define DP_PATH_STEPS_MAX 100

/* Columns that name a unit. */
typedef struct DpUnitName
{
	/*
	 * Of a unit's value: the population, and of a unit that is the row the
	 * relation. Of a key: 0, and a protected relation with the columns of the
	 * key, integers, ascending.
	 */
	int32 population;
	Oid relation;
	List *key;

	/*
	 * The columns that have these values, integers from 0, beside key; of a unit
	 * that is the row, those that identify it. Of depth 0 they are the row's own.
	 * Else they are those of a row around, as in DpColumnName, and name all rows
	 * that the sub-query there finds for that row.
	 */
	int depth;
	List *columns;

	/* How many steps of a path lead from the row to what has the key. */
	int steps;

	/*
	 * It refers by texts that are not compared as those of the key are: it equals
	 * no other name, and serves only to follow the path.
	 */
	bool is_loose;

	/*
	 * Rows that agree in it, or in which a column is null, may be of several
	 * units: it is loose, or a key of the row's own that may be null.
	 */
	bool is_open;
} DpUnitName;

/* The names of a protected relation's rows. */
extern List *dp_scan_names(const DpScan *scan);

/* Whether a relation refers along its path to the value of the unit itself. */
extern bool dp_scan_names_refer_to_unit(Oid relation);

/*
 * The same name by other columns: place gives the number of each; where one is
 * nowhere, -1, the result is NULL.
 */
typedef int (*DpNamePlace)(int column, const void *context);
extern DpUnitName *dp_names_move(const DpUnitName *name, DpNamePlace place,
								 const void *context);

/* Names by numbers of a relation's columns as names of a scan's rows, where it has them. */
extern List *dp_names_in_scan(const List *names, const DpScan *scan);

/* Names whose columns stand this many later in a row; names seen from a sub-query. */
extern List *dp_names_shift(const List *names, int columns);
extern List *dp_names_deepen(const List *names);

/* Adds the same names by columns of rows around that these equal. */
extern List *dp_names_add_around(List *names, const DpEqualities *equal);

/*
 * The names whose columns are all among some expressions over their row, by the
 * numbers of these; those of a row around are everywhere.
 */
extern List *dp_names_among(const List *names, const DpEqualities *equal,
							List *exprs);

/*
 * The names that all inputs of a union have in the same columns. *without: the
 * first input that has none of those before it.
 */
extern List *dp_names_of_all(const DpNode *node, int *without);

/*
 * Whether names of rows that meet are one unit's: by value, or, if they are
 * trusted, by a key.
 */
extern bool dp_names_are_one_unit(const List *names, const List *others,
								  const DpEqualities *equal, bool by_keys);

#endif
