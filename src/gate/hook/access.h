/*
 * access.h
 *		Statements that the server will refuse.
 */
#ifndef DP_GATE_HOOK_ACCESS_H
#define DP_GATE_HOOK_ACCESS_H

#include "nodes/plannodes.h"

/*
 * Refuses a query, before it is planned, or else its plan, that reads a
 * protected relation or one of the ledger's and that the server would refuse
 * when it is executed: with the server's own error, insufficient_privilege.
 * Blocks that the gate answers must have been replaced by then.
 */
extern void dp_access_check_query(Query *query);
extern void dp_access_check_plan(PlannedStmt *plan);

/*
 * Refuses to show rows of a relation, which the user may not read, if it may be
 * asked about: insufficient_privilege, with what to write instead.
 */
extern void dp_access_check_rows(Oid relation);

/*
 * Whether a query reads relations that the user may ask about, and not read
 * (gate/relations/kept_back.h): the gate reads it as a question.
 */
extern bool dp_access_asks_kept_back(Query *query);

/*
 * Installs the check of plans before they are executed, since a cached plan
 * may be executed by another role; called from dp_planner_init.
 */
extern void dp_access_init(void);

#endif
