-- Maxima and minima of texts: over declared values alone, in the order of
-- their bytes; of rows and of people; refused with the reason without values.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
SELECT dp_noise.set_values('public.patients', 'label', '{l3,l1,l0,zz}') \g /dev/null
CREATE TABLE public.words (person integer NOT NULL, word text);
INSERT INTO public.words SELECT i % 100, 'word' || i % 3 FROM generate_series(1, 500) AS i;
INSERT INTO public.words SELECT 1000, w FROM unnest('{word9,other,NULL}'::text[]) AS w;
SELECT dp_noise.protect('public.words', 'person', max_rows_per_unit => 5, max_groups_per_unit => 5, epsilon => 1e6, delta => 1), dp_noise.set_budget('gate_ann', 'public.words', 1000000) \g /dev/null
RESET ROLE;
SET dp_noise.epsilon = 1000;
CREATE FUNCTION t.asked(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
	result text;
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	EXECUTE query INTO result;
	RESET SESSION AUTHORIZATION;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', SQLSTATE, SQLERRM, hint);
END
$$;
SELECT is(t.asked(format('SELECT %s FROM %s', call, source)), answer, call)
FROM (VALUES
	('dp_max(name, ARRAY[''name1'', ''name5'', ''zebra''])', 'patients', 'name5'), ('dp_min(name, ''{name5,name1,zebra}'')', 'patients', 'name1'), ('dp_max(name, ARRAY[''only''])', 'patients', 'only'),
	('dp_max(name, ARRAY[''name5'', ''Name9'', ''name5''], 500)', 'patients', 'name5'), ('dp_min(name, ARRAY[''name5'', ''NAME'', ''a''], 500, ''laplace'')', 'patients', 'name5'),
	('dp_max(label)', 'patients', 'l3'), ('dp_min(label)', 'patients', 'l0'), ('dp_max(code::text, ARRAY[''c1'', ''c2''])', 'patients', 'c2'), ('dp_max(lower(name), ARRAY[''name7'', ''Name8''])', 'patients', 'name7'),
	('dp_max(name, ARRAY[''b'', ''a'']) IN (''a'', ''b'')', 'patients WHERE false', 'true'),
	('dp_max(word, ARRAY[''word0'', ''word1'', ''word2'', ''word3''])', 'words', 'word2'), ('dp_min(word, ARRAY[''word3'', ''word2'', ''word1'', ''zz''])', 'words', 'word1'),
	('dp_max(name)', 'patients', '22023 | dp_max of texts needs declared values | Write dp_max(value, ARRAY[''a'', ''b'']), or ask the owner for dp_noise.set_values(''patients'', ''name'', ARRAY[''a'', ''b'']).'),
	('dp_min(lower(name))', 'patients', '22023 | dp_min of texts needs declared values | Write dp_min(value, ARRAY[''a'', ''b'']).'),
	('dp_max(name, ''{}'')', 'patients', '22023 | number of declared values must be between 1 and 100000 | Declare the values that a row can sensibly have, as in ARRAY[''a'', ''b''].'),
	('dp_max(name, ARRAY[''a'', NULL])', 'patients', '22004 | declared values must not be null | Leave the null out of the array.'),
	('dp_max(name, ARRAY[name])', 'patients', '0A000 | parameters of a private aggregate over a protected relation must be constants or query parameters | Write a constant or a query parameter such as $1.')) AS c (call, source, answer);
SELECT is(t.asked('SELECT string_agg(smoker || '':'' || m, '' '' ORDER BY smoker) FROM (SELECT smoker, dp_max(name, ARRAY[''name1'', ''name3'', ''name5'']) AS m FROM patients WHERE id < 6 GROUP BY 1) AS r WHERE smoker IS NOT NULL'), 'false:name5 true:name3', 'in groups');
SELECT is(t.explained('SELECT dp_max(label) FROM patients', 'Sensitivity'), '3', 'places between the least and the greatest');
SELECT is(dp_noise.true_states('SELECT dp_max(word, ARRAY[''word0'', ''word1'', ''word2'']) FROM words')::text ~ 'x', true, 'true states of people');
SELECT isnt(t.explained('SELECT dp_max(name, ARRAY[''a'', ''b'']) FROM patients', 'Question'), t.explained('SELECT dp_max(name, ARRAY[''a'', ''c'']) FROM patients', 'Question'), 'the values are part of the question');

-- outside of the gate, also in parallel plans
SELECT is((SELECT dp_max(name, ARRAY['name1', 'name5'], 1000) FROM public.patients), 'name5');
SELECT throws_ok('SELECT dp_max(name) FROM public.patients', '22023', 'dp_max of texts needs declared values');

SELECT * FROM finish();
\ir support/gate_end.sql
