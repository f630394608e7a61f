-- EXPLAIN of questions: what would become of each, and what is left to pay it
-- from; in every format, and for free.
\ir support/gate.sql
SELECT no_plan();
DO $$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'gate_team') THEN
		CREATE ROLE gate_team;
	END IF;
	GRANT gate_team TO gate_ann;
END
$$;
SELECT dp_noise.set_budget('gate_ann', 'patients', 5, delta => 1e-6, max_epsilon_per_query => 3, min_epsilon_per_query => NULL),
	dp_noise.set_budget('gate_team', 'patients', 20, shared => true),
	dp_noise.alter_population('patients', on_repeat => 'replay'), dp_noise.set_budget('gate_bob', 'patients', 1, min_epsilon_per_query => NULL);

-- A plan's release as JSON.
CREATE FUNCTION t.explain(who text, command text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
	release jsonb;
BEGIN
	plan := t.run(who, 'EXPLAIN (FORMAT JSON) ' || command)::jsonb;
	SELECT jsonb_agg(r) INTO release FROM jsonb_path_query(plan, 'lax $.** ? (@."Custom Plan Provider" == "DP Release")') AS r
	WHERE r ? 'Protected Relation';
	RETURN release;
END
$$;
-- In short: answers; budgets as whose left-asked; the reason.
CREATE FUNCTION t.tell(who text, command text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(DISTINCT concat_ws(' | ',
		(SELECT string_agg(a->>'Answer', ', ' ORDER BY n) FROM jsonb_array_elements(r->'Private Aggregates') WITH ORDINALITY AS x (a, n)),
		(SELECT string_agg(format('%s %s-%s%s', b->>'Budget', coalesce(b->>'Epsilon Left', 'spent ' || (b->>'Epsilon Spent')), b->>'Epsilon to Pay',
			CASE WHEN b ? 'Suffices' THEN ' too little' ELSE '' END), ', ' ORDER BY n) FROM jsonb_array_elements(r->'Budgets') WITH ORDINALITY AS x (b, n)),
		r->>'Reason'), ' || ')
	FROM jsonb_array_elements(t.explain(who, command)) AS r
$$;

-- a price, and who would pay
SELECT is(t.tell('gate_ann', 'SELECT dp_count(*) FROM patients'), 'charged | gate_ann 5-1, gate_team 20-1', 'own budget and the group''s');
SELECT is(t.tell('gate_ann', 'SELECT dp_count(age, 0.5), dp_sum(age, 0, 100, 0.25) FROM patients'), 'charged, charged | gate_ann 5-0.75, gate_team 20-0.75', 'two aggregates');
SELECT is(t.tell('gate_ann', 'SELECT * FROM (SELECT dp_count(age, 0.5) FROM patients) AS a, (SELECT dp_sum(age, 0, 100, 0.25) FROM patients) AS b'),
	'charged | gate_ann 5-0.75, gate_team 20-0.75', 'two blocks pay together');
SELECT is(t.tell('gate_bob', 'SELECT dp_count(*) FROM patients'), 'charged | gate_bob 1-1', 'own budget alone');
SELECT is(t.tell('gate_bob', 'SELECT dp_count(age, 1.5) FROM patients'),
	'refused: insufficient budget | gate_bob 1-1.5 too little | insufficient privacy budget for "patients"', 'too little');
SELECT is(t.tell('gate_ann', 'SELECT dp_count(age, 3.5) FROM patients'),
	'refused: insufficient budget | gate_ann 5-3.5 too little, gate_team 20-3.5 | query on "patients" asks for too much epsilon at once', 'above what one query may cost');
SELECT is((t.explain('gate_ann', 'SELECT dp_count(age, 1, ''gaussian(delta=1e-7)'') FROM patients')->0->'Budgets'->0) - 'Epsilon to Pay',
	'{"Budget": "gate_ann", "Epsilon Left": "5", "Delta Left": "0.000001", "Most Epsilon per Query": "3", "Delta to Pay": "0.0000001"}', 'all of a budget');
SELECT is(t.tell('gate_owner', 'SELECT dp_count(*) FROM patients'), 'charged | all together 10000000000000-1', 'the owner needs no budget');
SELECT dp_noise.alter_population('patients', epsilon => 2, delta => 0);
SELECT is(t.tell('gate_ann', 'SELECT dp_count(*) FROM patients'), 'charged | gate_ann 5-1, gate_team 20-1, all together 2-1', 'a grant that leaves less than the own budget');
SELECT is(t.tell('gate_bob', 'SELECT dp_count(age, 0.5) FROM patients'), 'charged | gate_bob 1-0.5', 'one that leaves more is not told');
SELECT is(t.tell('gate_owner', 'SELECT dp_count(*) FROM patients'), 'charged | all together 2-1', 'the owner hears of it');
SELECT dp_noise.alter_population('patients', epsilon => 1e6, delta => 1);
SELECT is(t.tell('gate_bob', 'SELECT dp_count(1, 1e-6) FROM patients'), 'charged | gate_bob 1-0.000001', 'epsilon as it is charged');

-- repeated questions
SELECT is(t.charges(), 0::bigint, 'nothing was charged so far');
SELECT t.accept('SELECT dp_count(*) FROM patients');
SELECT is(t.tell('gate_ann', 'SELECT dp_count(*) FROM patients'), 'replayed | gate_ann 4-0, gate_team 19-0', 'a replay is free');
SELECT is(t.tell('gate_ann', 'SELECT dp_count(1, 0.5), dp_mean(age) FROM patients'), 'replayed, charged | gate_ann 4-1, gate_team 19-1', 'beside a new question');
SELECT is(t.tell('gate_ann', 'SELECT dp_mean(age) FROM patients UNION ALL SELECT dp_mean(age) FROM patients AS p'),
	'charged | gate_ann 4-1, gate_team 19-1 || the same as before in this statement | gate_ann 4-1, gate_team 19-1', 'twice in a statement');
SELECT dp_noise.alter_population('patients', on_repeat => 'refuse');
SELECT t.run('gate_bob', 'SELECT dp_count(age, 0.5) FROM patients WHERE age > 1');
SELECT is(t.tell('gate_bob', 'SELECT dp_count(age, 0.25) FROM patients WHERE age > 1'), 'refused: answered before | gate_bob 0.5-0 | this question about "patients" was answered before', 'refused');
SELECT is(t.charges(), 2::bigint, 'no EXPLAIN was charged');
SELECT dp_noise.alter_population('patients', on_repeat => 'replay');
-- shared: somebody else's answer, for the same price
SELECT is(t.tell('gate_bob', 'SELECT dp_count(*) FROM patients'), 'refused: insufficient budget | gate_bob 0.5-1 too little | insufficient privacy budget for "patients"', 'what another role asked costs what it costs');
SELECT dp_noise.set_budget('gate_bob', 'patients', 2, min_epsilon_per_query => NULL);
SELECT is(t.tell('gate_bob', 'SELECT dp_count(*) FROM patients'), 'shared | gate_bob 1.5-1', 'shared');
SELECT is(t.tell('gate_bob', 'SELECT dp_count(age, 2) FROM patients WHERE true'), 'refused: insufficient budget | gate_bob 1.5-2 too little | insufficient privacy budget for "patients"');
SELECT ok(t.explain('gate_bob', 'SELECT dp_count(*) FROM patients')->0->'Private Aggregates'->0->>'Age' IS NOT NULL, 'with its age');
SELECT ok(t.explain('gate_bob', 'SELECT dp_count(*) FROM patients WHERE age > 3')->0->'Private Aggregates'->0->>'Age' IS NULL, 'which new ones have not');

-- what would be refused for other reasons
SELECT dp_noise.drop_budget('gate_bob', 'patients');
SELECT is(t.tell('gate_bob', 'SELECT dp_count(*) FROM patients'), 'refused: no budget | role "gate_bob" has no privacy budget for "patients"', 'no budget');
SET default_transaction_isolation = serializable;
SELECT is(t.tell('gate_ann', 'SELECT dp_count(*) FROM patients'), 'refused | protected relations cannot be read in a serializable transaction', 'serializable');
RESET default_transaction_isolation;
CREATE FUNCTION gate_ann.priced() RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
	line text;
	result text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN SELECT dp_count(*) FROM public.patients' LOOP
		result := concat_ws(E'\n', result, line);
	END LOOP;
	RETURN result;
END
$$;
ALTER FUNCTION gate_ann.priced() OWNER TO gate_ann;
SELECT matches(gate_ann.priced(), E'Answer: refused\n.*Reason: role "gate_ann" cannot ask about "patients" in a session of role "postgres"', 'somebody else''s session');
SELECT is(t.tell('gate_ann', 'SELECT ' || string_agg(format('dp_count(*) FILTER (WHERE age > %s)', i), ', ') || ' FROM patients') LIKE 'refused, refused%too many%', true, 'too many aggregates')
FROM generate_series(1, 1001) AS i;

-- every format
CREATE FUNCTION t.text(format text, command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text := '';
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	FOR line IN EXECUTE format('EXPLAIN (FORMAT %s, COSTS off) %s', format, command) LOOP
		result := result || line || E'\n';
	END LOOP;
	RESET SESSION AUTHORIZATION;
	RETURN result;
END
$$;
SELECT is(regexp_replace(t.text('text', 'SELECT dp_sum(age, 0, 100, 0.5) FROM patients'), '[0-9a-f]{64}', 'x'), $$Custom Scan (DP Release)
  Protected Relation: patients
  Aggregate: dp_sum
    Mechanism: staircase
    Epsilon: 0.5
    Sensitivity: 100
    Expected Error (95%): 599
    Question: x
    Answer: charged
  Total Epsilon: 0.5
  Total Delta: 0
  Budget: gate_ann
    Epsilon Left: 4
    Delta Left: 0.000001
    Most Epsilon per Query: 3
    Epsilon to Pay: 0.5
    Delta to Pay: 0
  Budget: gate_team
    Epsilon Left: 19
    Delta Left: 0
    Least Epsilon per Aggregate: 0.001
    Epsilon to Pay: 0.5
    Delta to Pay: 0
$$, 'text');
SELECT matches(t.text('yaml', 'SELECT dp_count(age, 0.5) FROM patients'), E'Answer: "replayed"\n.*Budgets: *\n *- Budget: "gate_ann"\n *Epsilon Left: "4"\n', 'yaml');
SELECT is((xpath('//e:Paying-Budget[e:Budget="gate_team"]/e:Epsilon-Left/text()', t.text('xml', 'SELECT dp_count(age, 0.5) FROM patients')::xml, '{{e,http://www.postgresql.org/2009/explain}}'))[1]::text, '19', 'xml');

-- EXPLAIN ANALYZE tells what was done.
CREATE FUNCTION t.analyze(command text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(r->>'Answer', ', ') FROM jsonb_path_query(t.run('gate_ann', 'EXPLAIN (ANALYZE, FORMAT JSON) ' || command)::jsonb, 'lax $.**."Private Aggregates"[*]') AS r
$$;
SELECT is(t.analyze('SELECT dp_count(*), dp_min(age) FROM patients'), 'replayed, charged', 'EXPLAIN ANALYZE');
SELECT is(t.analyze('SELECT dp_count(*), dp_min(age) FROM patients'), 'replayed, replayed', 'once more');
SELECT is(t.analyze('SELECT 1 WHERE false AND (SELECT dp_max(age) FROM patients) > 1'), NULL, 'what is never executed');
SELECT is(t.charges(), 3::bigint, 'and charged once');

-- prepared statements, with the values of parameters
SELECT t.run('gate_ann', 'PREPARE priced(integer, double precision) AS SELECT dp_count(age, $2) FROM patients WHERE age > $1');
SELECT is(t.tell('gate_ann', 'EXECUTE priced(3, 0.5)'), 'charged | gate_ann 3-0.5, gate_team 18-0.5', 'of an execution');
SELECT t.run('gate_ann', format('EXECUTE priced(3, %s)', 0.125)) FROM generate_series(1, 8) AS i;
SELECT is(t.tell('gate_ann', 'EXECUTE priced(3, 0.25)'), 'replayed | gate_ann 2.875-0, gate_team 17.875-0', 'of a generic plan');
SELECT is(t.tell('gate_ann', 'EXECUTE priced(4, 0.25)'), 'charged | gate_ann 2.875-0.25, gate_team 17.875-0.25', 'of another value');

-- While the budgets change, nothing is known.
BEGIN;
SELECT dp_noise.set_budget('gate_ann', 'patients', 6);
SELECT t.tell('gate_ann', 'SELECT dp_count(*) FROM patients') AS told \gset
ROLLBACK;
SELECT matches(:'told'::text, '^not known \| ', 'budgets are being changed');

SELECT * FROM finish();
SET client_min_messages = error;
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP ROLE gate_team;
CREATE EXTENSION dp_noise;
\ir support/gate_end.sql
