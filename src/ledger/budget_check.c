/*
 * budget_check.c
 *		Whether a budget suffices for a statement, and the message if not.
 */
#include "postgres.h"

#include "ledger/budget_check.h"
#include "ledger/failures.h"
#include "ledger/reply.h"

/* Checks a statement against a budget's limits on single queries. */
static DpRefusal
check_size(const DpBudget *b, const char *subject, const char *whose,
		   DpDemand asked, DpReply *reply)
{
	char of_query[DP_AMOUNT_TEXT];
	char limit[DP_AMOUNT_TEXT];

	if (dp_amount_compare(asked.least_epsilon, b->min_epsilon_per_query) < 0)
	{
		dp_amount_format(asked.least_epsilon, of_query);
		dp_amount_format(b->min_epsilon_per_query, limit);
		dp_reply_refuse(reply, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
						"query on \"%s\" asks for too little epsilon", subject);
		dp_reply_detail(reply,
						"An aggregate asks for %s; %s allows no less than %s.",
						of_query, whose, limit);
		dp_reply_hint(reply, "Set dp_noise.epsilon higher.");
		return DP_REFUSAL_TOO_LITTLE;
	}
	if (b->per_query_limited &&
		dp_amount_compare(asked.epsilon, b->max_epsilon_per_query) > 0)
	{
		dp_amount_format(asked.epsilon, of_query);
		dp_amount_format(b->max_epsilon_per_query, limit);
		dp_reply_refuse(reply, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
						"query on \"%s\" asks for too much epsilon at once",
						subject);
		dp_reply_detail(reply, "It asks for %s; %s allows %s a query.",
						of_query, whose, limit);
		dp_reply_hint(
			reply, "Ask for fewer aggregates, or set dp_noise.epsilon lower.");
		return DP_REFUSAL_BUDGET;
	}
	return DP_REFUSAL_NONE;
}

/* Says that a budget has less of something than the query asks for. */
static void
refuse_amount(const char *what, DpAmount asked, const char *whose,
			  DpAmount left, const char *hint, DpReply *reply)
{
	char of_query[DP_AMOUNT_TEXT];
	char of_budget[DP_AMOUNT_TEXT];

	dp_amount_format(asked, of_query);
	dp_amount_format(left, of_budget);
	dp_reply_detail(reply, "The query asks for %s %s; %s has %s left.", what,
					of_query, whose, of_budget);
	dp_reply_hint(reply, "See dp_budget for what is left; %s.", hint);
}

/* Refuses a cost without a finite epsilon to a budget that adds up epsilons. */
static void
refuse_unbounded(const DpBudget *b, const char *whose, DpReply *reply)
{
	if (b->spent.unbounded.ticks > 0)
	{
		dp_reply_detail(
			reply,
			"Charges to %s have no finite epsilon, and it adds up epsilons.",
			whose);
		dp_reply_hint(reply, "Ask the owner for accountant => 'zcdp'.");
		return;
	}
	dp_reply_detail(reply,
					"The query has no finite epsilon, and %s adds up epsilons.",
					whose);
	dp_reply_hint(reply, "Ask again, for mechanisms that have one, or ask the "
						 "owner for accountant => 'zcdp'.");
}

DpRefusal
dp_budget_check(const DpBudget *b, const char *subject, DpDemand asked,
				DpReply *reply)
{
	bool is_zcdp = b->grant.accountant == DP_ACCOUNTANT_ZCDP;
	DpPrivacyCost left = dp_grant_left(&b->grant, &b->spent);
	DpFit fit;
	const char *whose = !OidIsValid(b->role) ? "the population's grant"
						: b->shared			 ? "a shared budget"
											 : "your budget";
	DpRefusal why;

	if (!dp_failures_allow(b, subject, false, reply))
		return DP_REFUSAL_FAILURES;
	why = check_size(b, subject, whose, asked, reply);
	if (why != DP_REFUSAL_NONE)
		return why;
	fit = dp_grant_fit(&b->grant, &b->spent, &asked.cost);
	if (fit == DP_FITS)
		return DP_REFUSAL_NONE;
	dp_reply_refuse(reply, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
					"insufficient privacy budget for \"%s\"", subject);
	switch (fit)
	{
		case DP_FITS:
			break;
		case DP_FITS_NO_EPSILON:
			refuse_unbounded(b, whose, reply);
			break;
		case DP_EXCEEDS_EPSILON:
			refuse_amount("epsilon", asked.cost.epsilon, whose, left.epsilon,
						  "ask for less epsilon, or ask the owner for more",
						  reply);
			break;
		case DP_EXCEEDS_RHO:
			refuse_amount("rho", asked.cost.rho, whose, left.rho,
						  "ask for less epsilon, or ask the owner for more",
						  reply);
			break;
		case DP_EXCEEDS_DELTA:
			refuse_amount("delta", is_zcdp ? asked.cost.pool : asked.cost.delta,
						  whose, is_zcdp ? left.pool : left.delta,
						  is_zcdp ? "use what needs no delta, or ask the owner "
									"for a greater delta_pool"
								  : "use a mechanism that needs no delta, or "
									"ask the owner for more",
						  reply);
			break;
	}
	return DP_REFUSAL_BUDGET;
}
