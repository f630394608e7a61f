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
	dp_noise.budget_now(dp_noise.budget_entry),
	dp_noise.inherit_budget(dp_noise.budget_entry, integer, integer),
	dp_noise.inherit_relation(integer),
	dp_noise.inherit_role(integer, integer),
	dp_noise.forget_relation(integer),
	dp_noise.renew_settings(integer),
	dp_noise.can_be_unit(regclass, smallint),
	dp_noise.has_one_row_each(regclass, smallint),
	dp_noise.has_charges(integer),
	dp_noise.do_protect(regclass, text, text, integer, integer, boolean),
	dp_noise.do_unprotect(regclass),
	dp_noise.do_set_bounds(regclass, text, numeric, numeric),
	dp_noise.do_set_values(regclass, text, text[]),
	dp_noise.do_set_levels(regclass, numeric[]),
	dp_noise.do_set_budget(regrole, regclass, numeric, numeric, numeric, interval, text, boolean, numeric),
	dp_noise.do_drop_budget(regrole, regclass),
	dp_noise.do_forfeit(regclass, regrole, numeric, numeric),
	dp_noise.do_read_budgets(oid),
	dp_noise.do_read_ledger(oid),
	dp_noise.do_read_own_budgets(oid),
	dp_noise.protected_relation_id(regclass),
	dp_noise.column_number(regclass, text),
	dp_noise.check_bounded(regclass, smallint),
	dp_noise.is_distributed(regclass),
	dp_noise.plain_values(oid, smallint, text[]),
	dp_noise.on_drop(),
	dp_noise.on_rename(),
	dp_noise.on_column_drop(),
	dp_noise.is_missing(oid, name),
	dp_noise.on_column_rename(),
	dp_noise.on_rule(),
	dp_noise.charge_all(regclass[], numeric[], numeric[], bytea[], bytea[]),
	dp_noise.charge(regclass, numeric, numeric, bytea, bytea),
	dp_noise.charge_preview(regclass[], numeric[], numeric[], bytea[])
FROM PUBLIC;
REVOKE ALL ON
	dp_noise.relation_entry, dp_noise.role_entry, dp_noise.identity, dp_noise.role_identity, dp_noise.current_identity, dp_noise.entry_dumped, dp_noise.column_bounds,
	dp_noise.column_values, dp_noise.relation_levels, dp_noise.budget_entry, dp_noise.ledger_entry, dp_noise.answer_entry
FROM PUBLIC;
GRANT SELECT ON dp_noise.budgets, dp_noise.ledger, @extschema@.dp_budget TO PUBLIC;
