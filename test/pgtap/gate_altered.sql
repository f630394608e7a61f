-- An owner's own function changes the relation while a question about it is
-- under way: after it was planned, before its rows are read.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE gate_owner.kinds (kind int PRIMARY KEY);
INSERT INTO gate_owner.kinds VALUES (1), (2);
CREATE TABLE gate_owner.visits (id int PRIMARY KEY, age int, kind int NOT NULL REFERENCES gate_owner.kinds);
INSERT INTO gate_owner.visits SELECT i, 50, 1 FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('gate_owner.visits', 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.alter_population('gate_owner.visits', on_repeat => 'answer');
SELECT dp_noise.set_bounds('gate_owner.visits', 'age', 0, 100);
CREATE TABLE gate_owner.change (statement text);

-- The values of the key are read with the asker's rights, so by this policy.
CREATE FUNCTION gate_owner.meanwhile() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	command text;
BEGIN
	DELETE FROM gate_owner.change RETURNING statement INTO command;
	IF command IS NOT NULL THEN
		EXECUTE command;
	END IF;
	RETURN true;
END
$$;
ALTER TABLE gate_owner.kinds ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY p ON gate_owner.kinds USING (gate_owner.meanwhile());
RESET ROLE;

-- What comes of the question when that is done in its middle.
CREATE FUNCTION t.ask_meanwhile(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	DELETE FROM gate_owner.change;
	INSERT INTO gate_owner.change SELECT statement WHERE statement IS NOT NULL;
	result := t.run('gate_owner', 'SELECT count(*) FROM (SELECT kind, dp_sum(age) FROM gate_owner.visits GROUP BY kind) AS g');
	RETURN result;
END
$$;
SELECT is(t.ask_meanwhile(NULL), '2', 'undisturbed');
SELECT is(t.ask_meanwhile('CREATE TABLE gate_owner.another ()'), '2', 'something else');
SELECT matches(t.ask_meanwhile(command), '^55000: relation "visits" was changed after the statement was planned$|^55000: a unique index|^55P03: the privacy budgets of', command)
FROM unnest(ARRAY[
	'ALTER TABLE gate_owner.visits ALTER age TYPE text',
	'ALTER TABLE gate_owner.visits ALTER age TYPE bigint',
	'ALTER TABLE gate_owner.visits ALTER age TYPE text; ALTER TABLE gate_owner.visits ALTER age TYPE int USING age::int',
	'ALTER TABLE gate_owner.visits DROP CONSTRAINT visits_pkey',
	'ALTER TABLE gate_owner.visits DROP CONSTRAINT visits_pkey, ADD PRIMARY KEY (id)',
	'ALTER TABLE gate_owner.visits DROP age',
	'ALTER TABLE gate_owner.visits ADD more int',
	'ALTER TABLE gate_owner.visits RENAME age TO years']) AS command;
SELECT is(t.ask_meanwhile(NULL), '2', 'asked anew');

-- What does not matter to the question is no reason to refuse it.
SELECT format('SELECT is(t.ask_meanwhile(%1$L), %2$L, %1$L)', command, 2)
FROM unnest(ARRAY['ALTER TABLE gate_owner.visits SET (fillfactor = 90)', 'CREATE INDEX ON gate_owner.visits (age)', 'GRANT SELECT ON gate_owner.visits TO gate_bob',
	'ANALYZE gate_owner.visits', 'COMMENT ON TABLE gate_owner.visits IS ''what for''']) AS command \gexec

-- What was changed earlier in a transaction may be younger than its snapshot.
BEGIN;
GRANT SELECT ON gate_owner.visits TO gate_ann;
SELECT alike(t.ask_meanwhile(NULL), '55000: the definition of "visits" is younger than%', 'in the transaction that changes something');
COMMIT;
SELECT is(t.ask_meanwhile(NULL), '2', 'after it');

SELECT * FROM finish();
\ir support/gate_end.sql
