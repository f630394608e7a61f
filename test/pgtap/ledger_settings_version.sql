-- The version of a relation's settings: another one after whatever changes what
-- a question about the relation means, and never one that there was before.
\ir support/ledger.sql
CREATE ROLE lsv_analyst;
CREATE TABLE people (id int PRIMARY KEY, age int, kind text);
CREATE TABLE others (id int);
SELECT no_plan();

CREATE FUNCTION version_of(relation regclass) RETURNS bigint LANGUAGE sql AS $$
	SELECT m.settings_version FROM dp_noise_ledger.member AS m WHERE m.relation = version_of.relation
$$;
CREATE TABLE seen (version bigint PRIMARY KEY);

-- Whether a statement gives "people" a version that it never had.
CREATE FUNCTION renews(statement text, relation oid DEFAULT 'people'::regclass) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO seen SELECT version_of(relation) WHERE version_of(relation) IS NOT NULL ON CONFLICT DO NOTHING;
	EXECUTE statement;
	RETURN CASE WHEN version_of(relation) IS NOT NULL THEN NOT EXISTS (SELECT FROM seen WHERE version = version_of(relation)) END;
END
$$;

-- every function for owners, by name, and whether it renews
CREATE TABLE calls (place int GENERATED ALWAYS AS IDENTITY, function text, statement text, renews boolean);
INSERT INTO calls (function, statement, renews) VALUES
	('protect', $$SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1)$$, true),
	('protect', $$SELECT dp_noise.protect('people')$$, true),
	('set_bounds', $$SELECT dp_noise.set_bounds('people', 'age', 0, 100)$$, true),
	('set_bounds', $$SELECT dp_noise.set_bounds('people', 'age', NULL, NULL)$$, true),
	('set_values', $$SELECT dp_noise.set_values('people', 'kind', '{a,b}')$$, true),
	('set_values', $$SELECT dp_noise.set_values('people', 'kind', NULL)$$, true),
	('set_levels', $$SELECT dp_noise.set_levels('people', '{1,2}')$$, true),
	('set_levels', $$SELECT dp_noise.set_levels('people', NULL)$$, true),
	('set_budget', $$SELECT dp_noise.set_budget('lsv_analyst', 'people', 1)$$, false),
	('forgive', $$SELECT dp_noise.forgive('lsv_analyst', 'people')$$, false),
	('drop_budget', $$SELECT dp_noise.drop_budget('lsv_analyst', 'people')$$, false),
	('forget_answers', $$SELECT dp_noise.forget_answers('people', now())$$, false),
	('unprotect', $$SELECT dp_noise.unprotect('people')$$, NULL), -- it has none then
	('protect', $$SELECT dp_noise.protect('people', 'id', max_rows_per_unit => 1, replace_unit => true)$$, true),
	('forfeit', $$SELECT dp_noise.forfeit('people', 'lsv_analyst', 1)$$, false),
	('alter_population', $$SELECT dp_noise.alter_population('people', epsilon => 10)$$, false),
	('allow_members', $$SELECT dp_noise.allow_members('people', 'lsv_analyst')$$, false),
	('unprotect', $$SELECT dp_noise.unprotect('people')$$, NULL),
	('drop_population', $$SELECT dp_noise.drop_population('public.people')$$, NULL),
	('protect', $$SELECT dp_noise.protect('people', epsilon => 1)$$, true);
SELECT is(renews(statement), renews, format('%s: %s', statement, renews))
FROM calls ORDER BY place;
SELECT is_empty($$
	SELECT p.proname FROM pg_proc AS p WHERE p.prosrc IN ('dp_as_owner', 'dp_as_population_owner')
	EXCEPT SELECT function FROM calls$$, 'these are all functions for owners');

-- Look-ups go by numbers; a plan that was made with the old name is as good.
SELECT ok(NOT renews('ALTER TABLE people RENAME TO persons'), 'a new name does not renew');
SELECT ok(NOT renews('ALTER TABLE persons RENAME TO people', 'persons'::regclass), 'nor does the old one again');

-- what is undone was never there
BEGIN;
SELECT version_of('people') AS before \gset
SAVEPOINT one;
SELECT dp_noise.set_bounds('people', 'age', 0, 1) \g /dev/null
SELECT version_of('people') AS undone \gset
ROLLBACK TO one;
SELECT is(version_of('people'), :before::bigint, 'undone');
SELECT dp_noise.set_bounds('people', 'age', 0, 1) \g /dev/null
SELECT cmp_ok(version_of('people'), '>', :undone::bigint, 'and the same again is not the same');
COMMIT;

-- each relation has its own
SELECT dp_noise.protect('others', epsilon => 1e6, delta => 1) \g /dev/null
SELECT is((SELECT count(DISTINCT settings_version) FROM dp_noise_ledger.member), (SELECT count(*) FROM dp_noise_ledger.member), 'no two relations have one');
SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP ROLE lsv_analyst;
