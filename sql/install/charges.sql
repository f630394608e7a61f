/*
 * charges.sql
 *		Charges without a question, for tests and tools.
 */

CREATE FUNCTION dp_noise.charge(
	relation regclass,
	epsilon numeric,
	delta numeric,
	question bytea,
	answer bytea DEFAULT NULL,
	rho numeric DEFAULT NULL,
	delta_pool numeric DEFAULT NULL,
	OUT replayed boolean,
	OUT answered bytea
)
AS 'MODULE_PATHNAME', 'dp_charge'
LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric) IS
'Charges the session''s user for a question (up to 32 bytes that identify it), durably and at once; for tests. The answer is stored for replay. Epsilon null: it has none, and rho is given; rho and delta_pool null: what epsilon and delta cost at most. Superusers only.';

CREATE FUNCTION dp_noise.charge_all(
	relation regclass[],
	epsilon numeric[],
	delta numeric[],
	question bytea[],
	answer bytea[],
	OUT replayed boolean[],
	OUT answered bytea[]
)
AS 'MODULE_PATHNAME', 'dp_charge_all'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge_all(regclass[], numeric[], numeric[], bytea[], bytea[]) IS
'As dp_noise.charge for several questions of one statement, all or none of which are charged; for tests. Superusers only.';

CREATE FUNCTION dp_noise.charge_preview(
	relation regclass[],
	epsilon numeric[],
	delta numeric[],
	question bytea[]
)
RETURNS json
AS 'MODULE_PATHNAME', 'dp_charge_preview'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge_preview(regclass[], numeric[], numeric[], bytea[]) IS
'What dp_noise.charge_all would do now, for tests and tools: charges (outcome charged, replayed or refused, and why), the budgets that pay (kind own, shared or total; epsilon and delta granted, spent, left and asked; whether each suffices), and the error that it would raise. Charges nothing. Superusers only.';
