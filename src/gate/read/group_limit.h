/*
 * group_limit.h
 *		Public keys with more values than a release may have groups.
 *
 * Such a domain is none: with a vocabulary of more than a million words, a group
 * for each would be refused whatever is asked. The key is private then, and its
 * groups are selected by noise, for a delta.
 *
 * So public rows are counted when a statement is planned, as far as that runs
 * nobody's code: ordinary tables, without row-level security, and the server's
 * own functions. Where that cannot be, the key stays public, and too many values
 * are refused when the statement runs, as are those that came later.
 */
#ifndef DP_GATE_READ_GROUP_LIMIT_H
#define DP_GATE_READ_GROUP_LIMIT_H

#include "gate/tree/node.h"

/*
 * The domains of keys over a question's rows; of keys whose public values, or
 * tuples where they are found together, are too many, and of others that these
 * determine, private ones. groupings: of DpGrouping.
 */
extern List *dp_group_limit_domains(const DpNode *rows, List *keys,
									List *groupings);

#endif
