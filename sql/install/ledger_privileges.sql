/*
 * ledger_privileges.sql
 *		The ledger: who may do what.
 */

------------------------------------------------------------------------------
-- The ledger: who may do what

REVOKE ALL ON FUNCTION
	dp_noise.lock_relation(oid),
	dp_noise.find_relation(oid),
	dp_noise.find_role(oid),
	dp_noise.make_role(oid),
	dp_noise.number_role(oid),
	dp_noise.number_owner(oid),
	dp_noise.tidy(),
	dp_noise.period_begin(timestamptz, interval, timestamptz),
	dp_noise.budget_now(dp_noise_ledger.budget_entry),
	dp_noise.budget_shown(dp_noise_ledger.budget_entry, dp_noise_ledger.cost),
	dp_noise.payers_beneath(oid),
	dp_noise.queries_left(dp_noise_ledger.budget_entry, dp_noise_ledger.cost, numeric, numeric),
	dp_noise.cost_sum(dp_noise_ledger.cost, dp_noise_ledger.cost),
	dp_noise.cost_rest(dp_noise_ledger.cost, dp_noise_ledger.cost),
	dp_noise.cost_greatest(dp_noise_ledger.cost, dp_noise_ledger.cost),
	dp_noise.is_cost(dp_noise_ledger.cost),
	dp_noise.spent_of(dp_noise_ledger.budget_entry),
	dp_noise.cost_of_pure(numeric, numeric),
	dp_noise.rho_of_grant(numeric, numeric, numeric),
	dp_noise.epsilon_of_rho(numeric, numeric),
	dp_noise.check_accountant(integer, integer, text, numeric, interval),
	dp_noise.settle(oid, integer[]),
	dp_noise.on_entry(),
	dp_noise.check_snapshot(),
	dp_noise.note_name(oid, integer, name, name),
	dp_noise.note_role_sources(integer),
	dp_noise.note_relation_sources(integer),
	dp_noise.part_of(dp_noise_ledger.budget_entry, text[]),
	dp_noise.keep_parts(integer, integer, interval),
	dp_noise.inherit_budget(dp_noise_ledger.budget_entry, integer, integer, boolean, boolean),
	dp_noise.inherit_spending(integer, integer[]),
	dp_noise.inherit_relation(integer),
	dp_noise.inherit_role(integer, integer),
	dp_noise.forget_relation(integer),
	dp_noise.renew_settings(integer),
	dp_noise.can_be_unit(regclass, smallint),
	dp_noise.has_one_row_each(regclass, smallint),
	dp_noise.has_charges(integer),
	dp_noise.do_protect(regclass, text, text, integer, integer, boolean, regclass),
	dp_noise.do_unprotect(regclass),
	dp_noise.do_set_bounds(regclass, text, numeric, numeric),
	dp_noise.do_set_values(regclass, text, text[]),
	dp_noise.do_set_levels(regclass, numeric[]),
	dp_noise.do_set_budget(regrole, regclass, numeric, numeric, numeric, interval, text, boolean, numeric, text, numeric, numeric),
	dp_noise.do_drop_budget(regrole, regclass),
	dp_noise.do_forfeit(regclass, regrole, numeric, numeric, numeric),
	dp_noise.do_forget_answers(regclass, timestamptz),
	dp_noise.do_read_budgets(oid),
	dp_noise.do_read_ledger(oid),
	dp_noise.do_read_own_budgets(oid),
	dp_noise.protected_relation_id(regclass),
	dp_noise.column_number(regclass, text),
	dp_noise.bounded_kind(regclass, smallint),
	dp_noise.is_distributed(regclass),
	dp_noise.plain_values(oid, smallint, text[]),
	dp_noise.on_drop(),
	dp_noise.on_rename(),
	dp_noise.on_column_drop(),
	dp_noise.is_missing(oid, name),
	dp_noise.on_column_rename(),
	dp_noise.on_rule(),
	dp_noise.charge_all(regclass[], numeric[], numeric[], bytea[], bytea[]),
	dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric),
	dp_noise.charge_preview(regclass[], numeric[], numeric[], bytea[])
FROM PUBLIC;
REVOKE ALL ON
	dp_noise_ledger.relation_entry, dp_noise_ledger.role_entry, dp_noise_ledger.identity, dp_noise_ledger.role_identity, dp_noise_ledger.current_identity, dp_noise_ledger.entry_dumped, dp_noise_ledger.name_entry, dp_noise_ledger.column_bounds,
	dp_noise_ledger.column_values, dp_noise_ledger.relation_levels, dp_noise_ledger.budget_entry, dp_noise_ledger.spending_part, dp_noise_ledger.ledger_entry, dp_noise_ledger.answer_entry
FROM PUBLIC;
GRANT SELECT ON dp_noise.budgets, dp_noise.ledger, @extschema@.dp_budget TO PUBLIC;
