/*
 * entries.h
 *		Reads entries of FROM, and sub-queries in it.
 */
#ifndef DP_GATE_READ_ENTRIES_H
#define DP_GATE_READ_ENTRIES_H

#include "gate/read/scope.h"

/*
 * Reads an entry of FROM. conditions: those that hold in all rows of FROM, Nodes as they are written:
 * some may be taken out, and policies of row-level security are added. attributes:
 * of each of the result's columns, what it is of the entry; 0: it is hidden.
 */
extern const DpNode *dp_entries_read(DpScope *scope, int rtindex,
									 List **conditions,
									 const AttrNumber **attributes);

/*
 * A sub-query over protected relations, whatever view it may have come from.
 * by_value: the last columns are its units' values, of as many columns as they
 * have; else some columns may be hidden that name its units. visible: the number of
 * others.
 */
extern const DpNode *dp_entries_read_query(DpScope *around, int rtindex,
										   bool by_value, int *visible);

#endif
