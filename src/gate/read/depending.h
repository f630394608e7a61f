/*
 * depending.h
 *		Columns that depend on a primary key that is grouped by.
 *
 * SQL lets a query that groups by the primary key of a table name the table's other
 * columns beside aggregates, since each of them has one value in a group. Grouped by
 * them, too, the groups are the same; and if the key is not one after all, as where
 * tables inherit, no row's value stands for others'. For groups within a question
 * determined.h does so.
 */
#ifndef DP_GATE_READ_DEPENDING_H
#define DP_GATE_READ_DEPENDING_H

#include "nodes/parsenodes.h"

/*
 * Adds such columns of a block to what it groups by; those of types that cannot be
 * grouped by are left as they are, and will be refused.
 */
extern void dp_depending_group(Query *block);

#endif
