/*
 * column_names.h
 *		Columns by names that people write.
 */
#ifndef DP_SERVER_COLUMN_NAMES_H
#define DP_SERVER_COLUMN_NAMES_H

#include "postgres.h"

#include "access/attnum.h"

/*
 * The column of a relation that a text names: the one of exactly this name, or else
 * of the name that the text is as an identifier of SQL, in quotes or folded to lower
 * case. InvalidAttrNumber if there is none.
 */
extern AttrNumber dp_column_named(Oid relation, const char *text);

#endif
