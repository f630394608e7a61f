/*
 * entries.c
 *		Reads an entry of FROM.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "gate/facts/facts.h"
#include "gate/question/relations/locations.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/refusal.h"
#include "gate/read/entries.h"
#include "gate/read/followed.h"
#include "gate/read/queries.h"
#include "gate/read/publics.h"
#include "gate/read/scans.h"
#include "gate/read/views.h"

static const AttrNumber *
first_attributes(const DpNode *node, int visible)
{
	AttrNumber *attributes = palloc0(node->ncolumns * sizeof(AttrNumber));
	int i;

	for (i = 0; i < visible; i++)
		attributes[i] = (AttrNumber) (i + 1);
	return attributes;
}

const DpNode *
dp_entries_read_query(DpScope *around, int rtindex, bool by_value, int *visible)
{
	Oid view = dp_gate_protected_view(rt_fetch(rtindex, around->query->rtable));

	return OidIsValid(view)
			   ? dp_views_read(around, rtindex, view, visible)
			   : dp_queries_read(around, rtindex, by_value, visible);
}

const DpNode *
dp_entries_read(DpScope *scope, int rtindex, List **conditions,
				const AttrNumber **attributes)
{
	RangeTblEntry *rte = rt_fetch(rtindex, scope->query->rtable);
	const DpNode *node;
	int visible;

	if (dp_gate_is_public(rte))
		return dp_publics_read(scope, rtindex, conditions, attributes);
	if (rte->rtekind == RTE_RELATION)
	{
		*conditions = list_concat(*conditions, rte->securityQuals);
		node = dp_scans_read(scope, rtindex, attributes);
		return dp_followed_at_once(scope->planning, (const DpScan *) node,
								   attributes);
	}
	node = dp_entries_read_query(scope, rtindex, false, &visible);
	*attributes = first_attributes(node, visible);
	return node;
}
