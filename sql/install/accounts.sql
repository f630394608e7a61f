/*
 * accounts.sql
 *		What budgets grant, what was spent of them, and what is left.
 *
 * Spending is recorded in every currency, whichever accountant counts: the
 * population may get another one.
 */

CREATE FUNCTION dp_noise.cost_sum(a dp_noise_ledger.cost, b dp_noise_ledger.cost) RETURNS dp_noise_ledger.cost LANGUAGE sql IMMUTABLE
AS $$
	SELECT ROW(least(a.epsilon + b.epsilon, 1e13), least(a.delta + b.delta, 1e13), least(a.rho + b.rho, 1e13),
		least(a.delta_pool + b.delta_pool, 1e13), least(a.unbounded + b.unbounded, 1e13))::dp_noise_ledger.cost
$$;
COMMENT ON FUNCTION dp_noise.cost_sum(dp_noise_ledger.cost, dp_noise_ledger.cost) IS 'The sum of two costs, each field at most 10^13.';

CREATE FUNCTION dp_noise.cost_of_pure(epsilon numeric, delta numeric) RETURNS dp_noise_ledger.cost
AS 'MODULE_PATHNAME', 'dp_cost_of_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.cost_of_pure(numeric, numeric) IS
'The greatest cost of charges that are (epsilon, delta)-DP together: epsilon tanh(epsilon/2) in rho, rounded up, and delta from the pool (Kairouz, Oh, Viswanath 2015).';

CREATE FUNCTION dp_noise.rho_of_grant(epsilon numeric, delta numeric, delta_pool numeric) RETURNS numeric
AS 'MODULE_PATHNAME', 'dp_rho_of_grant' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.rho_of_grant(numeric, numeric, numeric) IS
'The rho that a grant of epsilon and delta is worth, where delta_pool is the pool''s part of delta; rounded down (Canonne, Kamath, Steinke 2020). Error: invalid_parameter_value (epsilon not in 2^-20 .. 1000000, delta not below 1, delta_pool not below delta).';

CREATE FUNCTION dp_noise.epsilon_of_rho(rho numeric, delta numeric) RETURNS numeric
AS 'MODULE_PATHNAME', 'dp_epsilon_of_rho' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.epsilon_of_rho(numeric, numeric) IS
'The epsilon that an amount of rho amounts to at a delta, for people to read: rounded up to 15 digits. It is not what is charged, and does not add up. delta 0: infinity, or 0 for a rho of 0.';

CREATE FUNCTION dp_noise.period_begin(start timestamptz, period interval, at timestamptz) RETURNS timestamptz LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
DECLARE
	result timestamptz := start;
	periods bigint;
BEGIN
	IF period IS NULL OR start + period > at THEN
		RETURN start;
	END IF;
	-- A first guess by length, slightly too small, then step by step, since
	-- months differ in length.
	periods := pg_catalog.floor(0.95 * EXTRACT(epoch FROM at - start)
		/ EXTRACT(epoch FROM period))::bigint - 1;
	IF periods > 0 AND start + periods * period <= at THEN
		result := start + periods * period;
	END IF;
	WHILE result + period <= at LOOP
		result := result + period
			* greatest(1, pg_catalog.floor(0.95 * EXTRACT(epoch FROM at - result) / EXTRACT(epoch FROM period)))::bigint;
	END LOOP;
	RETURN result;
END
$$;
COMMENT ON FUNCTION dp_noise.period_begin(timestamptz, interval, timestamptz) IS
'The last start + n * period that is not after the given time; start itself without a period. Days and months are those of UTC, so that periods begin at the same time for everyone.';

CREATE FUNCTION dp_noise.check_period(period interval, what text) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
	-- No part may be negative: '1 month -29 days' is negative in February.
	IF EXTRACT(epoch FROM period) < 1 OR EXTRACT(epoch FROM period) > 31557600000
		OR EXTRACT(year FROM period) < 0 OR EXTRACT(month FROM period) < 0 OR EXTRACT(day FROM period) < 0
		OR EXTRACT(hour FROM period) < 0 OR EXTRACT(minute FROM period) < 0 OR EXTRACT(second FROM period) < 0 THEN
		RAISE EXCEPTION '% must be between a second and about a thousand years', what
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write an interval such as ''30 days'', no part of it negative.';
	END IF;
END
$$;
COMMENT ON FUNCTION dp_noise.check_period(interval, text) IS
'Refuses an interval after which nothing can begin anew; null passes: (interval, what it is called).';

CREATE FUNCTION dp_noise.check_grant(accountant text, epsilon numeric, delta numeric, delta_pool numeric) RETURNS numeric LANGUAGE plpgsql
AS $$
BEGIN
	IF accountant IS NULL OR accountant NOT IN ('pure', 'zcdp') THEN
		RAISE EXCEPTION 'invalid accountant: %', coalesce(quote_literal(accountant), 'null')
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write ''pure'' or ''zcdp''.';
	END IF;
	IF epsilon IS NULL OR epsilon < 0 OR epsilon > 1e13 OR epsilon = 'NaN' THEN
		RAISE EXCEPTION 'epsilon must be between 0 and 10^13'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write a number such as 5.';
	END IF;
	IF delta IS NULL OR delta < 0 OR delta > 1 OR delta = 'NaN' THEN
		RAISE EXCEPTION 'delta must be between 0 and 1'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write 0, or a number well below 1 / (number of people), such as 1e-6.';
	END IF;
	IF accountant = 'pure' THEN
		IF delta_pool IS DISTINCT FROM 0 THEN
			RAISE EXCEPTION 'delta_pool is for the accountant zcdp'
				USING ERRCODE = 'invalid_parameter_value', HINT = 'Leave it out: under pure, all of delta is for whatever needs one.';
		END IF;
		RETURN NULL;
	END IF;
	IF epsilon < 0.000001 OR epsilon > 1e6 OR delta <= 0 OR delta >= 1
		OR delta_pool IS NULL OR delta_pool < 0 OR delta_pool = 'NaN' OR delta_pool >= delta THEN
		RAISE EXCEPTION 'the accountant zcdp needs epsilon between 0.000001 and 1000000, delta above 0 and below 1, and delta_pool below delta'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write, for example, epsilon 1 and delta 1e-6; delta_pool, half of delta for example, where groups by private keys are asked for.';
	END IF;
	RETURN dp_noise.rho_of_grant(epsilon, delta, delta_pool);
END
$$;
COMMENT ON FUNCTION dp_noise.check_grant(text, numeric, numeric, numeric) IS
'Refuses what an accountant cannot grant: (accountant, epsilon, delta, delta_pool). Returns the rho that it is worth; null under pure.';

CREATE FUNCTION dp_noise.amounts_shown(
	accountant text, budget dp_noise_ledger.budget, spent dp_noise_ledger.cost, OUT epsilon_spent numeric, OUT epsilon_left numeric,
	OUT delta_spent numeric, OUT delta_left numeric, OUT rho_spent numeric, OUT rho_left numeric
) LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
	IF accountant = 'zcdp' THEN
		epsilon_spent := dp_noise.epsilon_of_rho(spent.rho, budget.delta - budget.delta_pool);
		delta_spent := spent.delta_pool;
		delta_left := greatest(budget.delta_pool - spent.delta_pool, 0);
		rho_spent := spent.rho;
		rho_left := greatest(budget.rho - spent.rho, 0);
		epsilon_left := CASE WHEN rho_left > 0 THEN greatest(budget.epsilon - epsilon_spent, 0) ELSE 0 END;
		RETURN;
	END IF;
	epsilon_spent := CASE WHEN spent.unbounded > 0 THEN 'infinity' ELSE spent.epsilon END;
	delta_spent := spent.delta;
	epsilon_left := greatest(budget.epsilon - epsilon_spent, 0);
	delta_left := greatest(budget.delta - delta_spent, 0);
END
$$;
COMMENT ON FUNCTION dp_noise.amounts_shown(text, dp_noise_ledger.budget, dp_noise_ledger.cost) IS
'What of a budget is spent and left, as its accountant counts. Under zcdp: rho, the epsilon that the rho spent amounts to at the delta outside of the pool, and the delta spent from the pool. Under pure: epsilon (infinity after a charge without a finite one) and delta.';

CREATE FUNCTION dp_noise.queries_left(
	accountant text, budget dp_noise_ledger.budget, spent dp_noise_ledger.cost, epsilon numeric, rho numeric
) RETURNS numeric LANGUAGE sql IMMUTABLE
AS $$
	SELECT CASE WHEN accountant = 'zcdp' THEN div(greatest(budget.rho - spent.rho, 0), queries_left.rho)
		WHEN spent.unbounded > 0 THEN 0
		ELSE div(greatest(budget.epsilon - spent.epsilon, 0), queries_left.epsilon)
	END
$$;
COMMENT ON FUNCTION dp_noise.queries_left(text, dp_noise_ledger.budget, dp_noise_ledger.cost, numeric, numeric) IS
'How many more aggregates of a price in epsilon and in rho a budget allows.';

CREATE VIEW dp_noise_ledger.account AS
SELECT b.*, b AS granted, p.name AS population, p.owner, p.accountant, p.on_repeat, p.is_dropped,
	b.is_active AND (b.role IS NULL OR r.oid IS NOT NULL) AS pays,
	n.began, n.began + b.period AS refills_at, n.spent, s.failures
FROM dp_noise_ledger.budget AS b
JOIN dp_noise_ledger.population AS p USING (population_id)
JOIN dp_noise_ledger.spending AS s USING (budget_id)
LEFT JOIN pg_roles AS r ON r.oid = b.role AND r.rolname = b.role_name
CROSS JOIN LATERAL (
	SELECT w.began, CASE WHEN w.began > s.since THEN ROW(0, 0, 0, 0, 0)::dp_noise_ledger.cost
		ELSE ROW(s.epsilon, s.delta, s.rho, s.delta_pool, s.unbounded)::dp_noise_ledger.cost END
	FROM (SELECT CASE WHEN b.period IS NULL THEN s.since ELSE dp_noise.period_begin(s.since, b.period, now()) END) AS w (began)
) AS n (began, spent);
COMMENT ON VIEW dp_noise_ledger.account IS
'Budgets (granted: the row itself) with what was spent of them in their current period, which began then. Pays: also a right to ask, unless it is the grant; false where the role is gone, or where its oid and name have parted.';

CREATE FUNCTION dp_noise.current_epsilon(by_budget numeric DEFAULT NULL) RETURNS numeric
AS 'MODULE_PATHNAME', 'dp_current_epsilon' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.current_epsilon(numeric) IS
'The setting dp_noise.epsilon, or the epsilon that costs dp_noise.rho where that is set, or that of budgets where it is not null and neither is set, as the decimal number that an aggregate without an epsilon of its own is charged.';

CREATE FUNCTION dp_noise.current_rho(by_budget numeric DEFAULT NULL) RETURNS numeric
AS 'MODULE_PATHNAME', 'dp_current_rho' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.current_rho(numeric) IS
'The most that an aggregate without an epsilon of its own costs in rho; by_budget as for current_epsilon.';

CREATE FUNCTION dp_noise.asked_epsilon(by_budget double precision) RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_asked_epsilon' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.asked_epsilon(double precision) IS
'The epsilon of an aggregate that names none: that of the budgets, unless the session has set its own. Beneath a release it takes the place of the epsilon.';

REVOKE ALL ON FUNCTION
	dp_noise.cost_sum(dp_noise_ledger.cost, dp_noise_ledger.cost), dp_noise.cost_of_pure(numeric, numeric),
	dp_noise.rho_of_grant(numeric, numeric, numeric), dp_noise.epsilon_of_rho(numeric, numeric),
	dp_noise.period_begin(timestamptz, interval, timestamptz), dp_noise.check_period(interval, text),
	dp_noise.check_grant(text, numeric, numeric, numeric), dp_noise.amounts_shown(text, dp_noise_ledger.budget, dp_noise_ledger.cost),
	dp_noise.queries_left(text, dp_noise_ledger.budget, dp_noise_ledger.cost, numeric, numeric)
FROM PUBLIC;
-- Default privileges may have given some.
REVOKE ALL ON ALL TABLES IN SCHEMA dp_noise_ledger FROM PUBLIC;
