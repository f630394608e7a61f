/*
 * asked_caps.c
 *		For which aggregates of a question a cap on the rows of a unit is chosen.
 */
#include "postgres.h"

#include "gate/facts/domain.h"
#include "gate/read/asked_caps.h"
#include "gate/relations/private_aggregates.h"
#include "server/settings.h"

static bool
may_choose(const DpQuestion *question)
{
	const DpGrouping *grouping = linitial(question->groupings);

	if (dp_setting_choose_caps == 0 || !question->several ||
		question->levels != NIL || list_length(question->groupings) > 1 ||
		grouping->contribution.rows == 1)
		return false;
	foreach_ptr (const DpDomain, domain, question->domains)
	{
		if (!domain->is_public)
			return false;
	}
	return true;
}

void
dp_asked_caps_choose(DpQuestion *question)
{
	if (!may_choose(question))
		return;
	foreach_ptr (DpAsked, asked, question->aggregates)
	{
		if (dp_private_aggregates_traits(asked->aggref)->may_choose_cap &&
			!asked->chooses_bounds)
			asked->cap_share = dp_setting_choose_caps;
	}
}
