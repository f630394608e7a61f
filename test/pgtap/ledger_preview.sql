-- What a charge would cost, before it is made: outcomes, budgets, and how much
-- of them who may hear.
\ir support/ledger.sql
GRANT EXECUTE ON FUNCTION dp_noise.charge_preview(regclass[], numeric[], numeric[], bytea[]) TO PUBLIC;
CREATE ROLE lpr_owner;
CREATE ROLE lpr_ann;
CREATE ROLE lpr_bob;
CREATE ROLE lpr_none;
CREATE ROLE lpr_team ROLE lpr_ann, lpr_bob;
CREATE TABLE people (id int);
CREATE TABLE flats (id int);
ALTER TABLE people OWNER TO lpr_owner;
SELECT dp_noise.protect('people', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('flats', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('lpr_ann', 'people', 2, 1e-6, max_epsilon_per_query => 1.5, min_epsilon_per_query => NULL);
SELECT dp_noise.set_budget('lpr_team', 'people', 5, shared => true);
SELECT no_plan();

-- A preview by somebody, as jsonb.
CREATE FUNCTION t.preview(who text, arguments text) RETURNS jsonb LANGUAGE sql AS $$
	SELECT t.run(who, 'SELECT dp_noise.charge_preview(' || arguments || ')')::jsonb
$$;
-- The same in short: outcomes, then budgets as kind spent+asked/granted left.
CREATE FUNCTION t.tell(who text, arguments text) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' | ',
		p->>'message',
		(SELECT string_agg(concat_ws(': ', c->>'outcome', c->>'refusal'), ', ' ORDER BY n) FROM jsonb_array_elements(p->'charges') WITH ORDINALITY AS x (c, n)),
		(SELECT string_agg(format('%s%s %s+%s/%s left %s %s', b->>'kind', ' ' || (b->>'role'), coalesce(b->>'spent', '?'), b->>'asked',
				coalesce(b->>'granted', '?'), coalesce(b->>'left', '?'), CASE WHEN (b->>'suffices')::boolean THEN 'ok' ELSE 'too little' END), ', '
			ORDER BY b->>'population', array_position('{own,shared,grant}', b->>'kind')) FROM jsonb_array_elements(p->'budgets') AS x (b)))
	FROM t.preview(who, arguments) AS p
$$;

-- charged
SELECT is(t.tell('lpr_ann', $$'{people}', '{0.5}', '{0}', '{a}'$$),
	'charged | own lpr_ann 0+0.5/2 left 2 ok, shared lpr_team 0+0.5/5 left 5 ok', 'own budget, and the group''s');
SELECT is(t.tell('lpr_ann', $$'{people,people}', '{0.5,0.25}', '{0,0}', '{a,b}'$$),
	'charged, charged | own lpr_ann 0+0.75/2 left 2 ok, shared lpr_team 0+0.75/5 left 5 ok', 'several: their sum');
SELECT is(t.tell('lpr_bob', $$'{people}', '{0.5}', '{0}', '{a}'$$),
	'charged | shared lpr_team 0+0.5/5 left 5 ok', 'only the group''s');
SELECT is(t.tell('lpr_owner', $$'{people}', '{0.5}', '{0}', '{a}'$$),
	'charged | grant 0+0.5/1000000 left 1000000 ok', 'the owner needs none, and hears of the grant');
SELECT is((SELECT b - 'population' FROM jsonb_array_elements(t.preview('lpr_ann', $$'{people}', '{0.5}', '{1e-7}', '{a}'$$)->'budgets') AS b WHERE b->>'kind' = 'own'),
	'{"kind": "own", "role": "lpr_ann", "granted": 2, "spent": 0, "left": 2, "asked": 0.5, "max_epsilon_per_query": 1.5, "delta_granted": 0.000001, "delta_spent": 0, "delta_left": 0.000001, "delta_asked": 0.0000001, "suffices": true}', 'all of a budget');
SELECT is((SELECT count(*) FROM dp_noise.ledger), 0::bigint, 'nothing was charged');
SELECT is((SELECT sum(epsilon_spent) FROM dp_noise.budgets), 0::numeric, 'nor spent');

-- replayed
SELECT is(t.ask('lpr_ann', 'people', 0.5, 'old', answer => '42'), 'charged');
SELECT is(t.ask('lpr_ann', 'people', 0.25, 'lost'), 'charged');
SELECT is(t.tell('lpr_ann', $$'{people,people}', '{0.5,0.25}', '{0,0}', '{old,b}'$$),
	'replayed, charged | own lpr_ann 0.75+0.25/2 left 1.25 ok, shared lpr_team 0.75+0.25/5 left 4.25 ok', 'a replay costs nothing');
SELECT is(t.tell('lpr_ann', $$'{people}', '{0.5}', '{0}', '{old}'$$),
	'replayed | own lpr_ann 0.75+0/2 left 1.25 ok, shared lpr_team 0.75+0/5 left 4.25 ok', 'nothing but a replay');

-- refused
SELECT is(t.tell('lpr_ann', $$'{people,people,people}', '{0.5,0.25,0.125}', '{0,0,0}', '{lost,b,b}'$$),
	'this question about "people" was answered before | refused: answered before, charged, refused: asked twice'
	' | own lpr_ann 0.75+0.25/2 left 1.25 ok, shared lpr_team 0.75+0.25/5 left 4.25 ok', 'each charge for its own reason');
SELECT is(t.tell('lpr_ann', $$'{people,people,people}', '{0.8,0.6,1}', '{0,0,0}', '{x,y,old}'$$),
	'insufficient privacy budget for "people" | refused: budget, refused: budget, replayed'
	' | own lpr_ann 0.75+1.4/2 left 1.25 too little, shared lpr_team 0.75+1.4/5 left 4.25 ok', 'too little left');
SELECT is(t.tell('lpr_ann', $$'{people}', '{1.6}', '{0}', '{x}'$$),
	'query on "people" asks for too much epsilon at once | refused: budget'
	' | own lpr_ann 0.75+1.6/2 left 1.25 too little, shared lpr_team 0.75+1.6/5 left 4.25 ok', 'too much at once');
SELECT is(t.tell('lpr_ann', $$'{people}', '{0.1}', '{1e-5}', '{x}'$$),
	'insufficient privacy budget for "people" | refused: budget'
	' | own lpr_ann 0.75+0.1/2 left 1.25 too little, shared lpr_team 0.75+0.1/5 left 4.25 too little', 'too much delta');
SELECT is(t.tell('lpr_none', $$'{people}', '{0.1}', '{0}', '{x}'$$),
	'role "lpr_none" has no privacy budget for "people" | refused: no budget', 'no budget: nothing to hear of');
SELECT is(t.tell('lpr_ann', $$'{flats,people}', '{0.1,0.1}', '{0,0}', '{x,x}'$$),
	'role "lpr_ann" has no privacy budget for "flats" | refused: no budget, charged'
	' | own lpr_ann 0.75+0.1/2 left 1.25 ok, shared lpr_team 0.75+0.1/5 left 4.25 ok', 'two populations');
SELECT is(t.tell('lpr_ann', $$'{pg_class}', '{0.1}', '{0}', '{x}'$$),
	'relation is not protected by dp_noise | refused: not protected');
SELECT is(t.preview('lpr_ann', $$'{people}', '{1.3}', '{0}', '{x}'$$) - 'budgets' - 'charges',
	'{"sqlstate": "53400", "message": "insufficient privacy budget for \"people\"", "detail": "The query asks for epsilon 1.3; your budget has 1.25 left.", "hint": "See dp_budget for what is left; ask for less epsilon, or ask the owner for more."}', 'the error is the one of the charge');

-- the grant: as much as dp_budget shows
SELECT dp_noise.alter_population('people', epsilon => 100, delta => 0);
SELECT is(t.tell('lpr_ann', $$'{people}', '{0.1}', '{0}', '{x}'$$),
	'charged | own lpr_ann 0.75+0.1/2 left 1.25 ok, shared lpr_team 0.75+0.1/5 left 4.25 ok', 'not told where it leaves more than the role has');
SELECT is(t.tell('lpr_owner', $$'{people}', '{0.1}', '{0}', '{x}'$$),
	'charged | grant 0.75+0.1/100 left 99.25 ok', 'but to the owner');
SELECT dp_noise.alter_population('people', epsilon => 1.25, delta => 1);
SELECT is(t.tell('lpr_ann', $$'{people}', '{0.1}', '{0}', '{x}'$$),
	'charged | own lpr_ann 0.75+0.1/2 left 1.25 ok, shared lpr_team 0.75+0.1/5 left 4.25 ok, grant ?+0.1/? left 0.5 ok', 'told, where it leaves less: what is left');
SELECT is((SELECT b->>'delta_left' FROM jsonb_array_elements(t.preview('lpr_ann', $$'{people}', '{0.1}', '{0}', '{x}'$$)->'budgets') AS b WHERE b->>'kind' = 'grant'),
	'0', 'and of what leaves more no more than the role has');
SELECT is(t.tell('lpr_ann', $$'{people}', '{0.6}', '{0}', '{x}'$$),
	'insufficient privacy budget for "people" | refused: budget'
	' | own lpr_ann 0.75+0.6/2 left 1.25 ok, shared lpr_team 0.75+0.6/5 left 4.25 ok, grant ?+0.6/? left 0.5 too little', 'and where it does not suffice');
SELECT dp_noise.alter_population('people', epsilon => 1e6, delta => 1);

-- more than fits a slot; nothing; nobody but superusers
SELECT is((SELECT count(*) FROM jsonb_array_elements(t.preview('lpr_ann',
	(SELECT format('%L, %L, %L, %L', array_agg('people'::regclass), array_agg(0.001), array_agg(0), array_agg(('q' || n)::bytea)) FROM generate_series(1, 1000) AS n))->'charges') AS c
	WHERE c->>'outcome' = 'charged'), 1000::bigint, 'a thousand');
SELECT is(t.run('lpr_ann', $$SELECT dp_noise.charge_preview('{}', '{}', '{}', '{}')$$), '{"charges": [], "budgets": []}', 'none');
REVOKE EXECUTE ON FUNCTION dp_noise.charge_preview(regclass[], numeric[], numeric[], bytea[]) FROM PUBLIC;
SELECT is(t.run('lpr_ann', $$SELECT dp_noise.charge_preview('{}', '{}', '{}', '{}')$$), '42501: permission denied for function charge_preview');
SELECT is((SELECT sum(epsilon) FROM dp_noise.ledger), 0.75, 'nothing was charged but what was asked');

-- an answer of no bytes is an answer
SELECT is(t.ask('lpr_ann', 'people', 0.1, 'empty', answer => ''), 'charged');
SELECT is(t.ask('lpr_ann', 'people', 0.1, 'empty'), 'replayed ');
SELECT is(left(t.ask('lpr_ann', 'people', 0.1, 'lost'), 5), '53400', 'no answer is none');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP OWNED BY lpr_owner, lpr_ann, lpr_bob, lpr_none CASCADE;
DROP ROLE lpr_owner, lpr_ann, lpr_bob, lpr_none, lpr_team;
