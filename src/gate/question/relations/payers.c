/*
 * payers.c
 *		What the budgets that would pay for a question say about it.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "gate/question/relations/look_up.h"
#include "gate/question/relations/payers.h"
#include "gate/question/relations/protection.h"

/* A condition: budget b is that of role $2, its own or one that it shares. */
#define OF_PAYER \
	"EXISTS (SELECT FROM dp_noise_ledger.current_identity AS i" \
	" WHERE i.class = 'pg_catalog.pg_authid'::pg_catalog.regclass" \
	" AND i.id = b.role_id AND (i.object = $2 OR (b.shared AND i.object IN (" \
	"WITH RECURSIVE groups (oid) AS (SELECT $2 UNION" \
	" SELECT g.roleid FROM pg_catalog.pg_auth_members AS g" \
	" JOIN groups ON g.member = groups.oid)" \
	" SELECT groups.oid FROM groups))))"

/*
 * Runs a query about the budgets of one relation that pays. $1 is its purse,
 * $2 the session's user, and $3 is false for a relation that is read only
 * through a view, whose totals alone pay.
 */
static bool
look_up_payer(DpLookUp *look_up, const DpRelations *relations, Oid relation,
			  int count, Datum *values)
{
	Datum args[] = {Int32GetDatum(dp_gate_protection(relation)->purse_identity),
					ObjectIdGetDatum(GetSessionUserId()),
					BoolGetDatum(!dp_gate_is_beneath(relations, relation))};

	return dp_gate_look_up(dp_gate_current_picture(), look_up, args, count,
						   values);
}

/*
 * The accountants of the limited budgets that pay: whether there is any, and
 * whether all are zcdp. Most relations have no such budget, and nothing else
 * is read.
 */
#define SELECT_PAYERS \
	"SELECT pg_catalog.count(*) > 0," \
	" coalesce(pg_catalog.bool_and(b.accountant = 'zcdp'), true)" \
	" FROM dp_noise_ledger.budget_entry AS b" \
	" WHERE b.relation_id = $1 AND b.is_active AND b.epsilon IS NOT NULL" \
	" AND EXISTS (SELECT FROM dp_noise_ledger.budget_entry AS z" \
	" WHERE z.accountant = 'zcdp' AND z.is_active)" \
	" AND (b.role_id IS NULL OR ($3 AND " OF_PAYER "))"

bool
dp_gate_pay_by_rho(const DpRelations *relations)
{
	static DpLookUp look_up = {
		SELECT_PAYERS, 3, {INT4OID, OIDOID, BOOLOID}, NULL};
	bool any = false;
	ListCell *cell;

	foreach (cell, dp_gate_payers(relations))
	{
		Datum values[2];

		if (!look_up_payer(&look_up, relations, lfirst_oid(cell),
						   lengthof(values), values) ||
			!DatumGetBool(values[1]))
			return false;
		any |= DatumGetBool(values[0]);
	}
	return any;
}

#define SELECT_DEFAULT_EPSILON \
	"SELECT pg_catalog.min(b.default_epsilon)::pg_catalog.float8" \
	" FROM dp_noise_ledger.budget_entry AS b" \
	" WHERE b.relation_id = $1 AND b.is_active" \
	" AND b.default_epsilon IS NOT NULL" \
	" AND (b.role_id IS NULL OR ($3 AND " OF_PAYER "))"

double
dp_gate_default_epsilon(const DpRelations *relations)
{
	static DpLookUp look_up = {
		SELECT_DEFAULT_EPSILON, 3, {INT4OID, OIDOID, BOOLOID}, NULL};
	double least = 0;
	ListCell *cell;

	foreach (cell, dp_gate_payers(relations))
	{
		Datum value;

		if (!look_up_payer(&look_up, relations, lfirst_oid(cell), 1, &value) ||
			DatumGetFloat8(value) == 0) /* null */
			continue;
		if (least == 0 || DatumGetFloat8(value) < least)
			least = DatumGetFloat8(value);
	}
	return least;
}
