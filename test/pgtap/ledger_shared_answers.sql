-- A question that somebody got answered has the same answer for everybody: the
-- asker's own budget pays, for the asker now knows; the grant does not, for all
-- together learn nothing new.
\ir support/ledger.sql
CREATE ROLE lsa_owner;
CREATE ROLE lsa_ann;
CREATE ROLE lsa_bob;
CREATE ROLE lsa_cat;
CREATE ROLE lsa_team ROLE lsa_bob;
GRANT EXECUTE ON FUNCTION dp_noise.charge_preview(regclass[], numeric[], numeric[], bytea[]) TO PUBLIC;
CREATE TABLE people (id int);
ALTER TABLE people OWNER TO lsa_owner;
SELECT dp_noise.protect('people', epsilon => 100, delta => 1e-3);
SELECT dp_noise.set_budget(role, 'people', 10, 1e-3) FROM unnest('{lsa_ann,lsa_bob,lsa_cat}'::regrole[]) AS role;
SELECT no_plan();

-- What was spent: of the grant, and by each.
CREATE FUNCTION t.spent() RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(trim_scale(epsilon_spent)::text, ' ' ORDER BY role NULLS FIRST)
	FROM dp_noise.budgets WHERE population = 'public.people' AND coalesce(role, 'lsa_ann') <> 'lsa_team'
$$;
CREATE FUNCTION t.preview(who text, epsilon numeric, question text) RETURNS text LANGUAGE sql AS $$
	SELECT c->>'outcome' FROM jsonb_array_elements(t.run(who, format('SELECT dp_noise.charge_preview(''{people}'', ''{%s}'', ''{0}'', ARRAY[%L::bytea])', epsilon, question))::jsonb->'charges') AS c
$$;
CREATE FUNCTION t.fingerprint(question text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT decode(rpad(encode(question::bytea, 'hex'), 64, '0'), 'hex')
$$;
CREATE FUNCTION t.wait(how_long interval) RETURNS void LANGUAGE sql AS
'UPDATE dp_noise_ledger.answer SET at = at - how_long';

SELECT is(t.ask('lsa_ann', 'people', 1, 'q', answer => 'first'), 'charged', 'the first');
SELECT is(t.spent(), '1 1 0 0', 'pays, and so does the grant');
SELECT is(t.preview('lsa_bob', 1, 'q'), 'shared', 'another role''s preview says so');
SELECT is(t.preview('lsa_ann', 1, 'q'), 'replayed', 'to the first asker it is a replay');
SELECT is(t.preview('lsa_bob', 0.5, 'q'), 'charged', 'at another price it is another answer');
SELECT is(t.ask('lsa_bob', 'people', 1, 'q', answer => 'second'), 'shared first', 'the second gets the first''s answer');
SELECT is(t.spent(), '1 1 1 0', 'pays, and the grant does not');
SELECT is((SELECT string_agg(concat_ws(' ', role, trim_scale(epsilon), grant_paid), ', ' ORDER BY at) FROM dp_noise.ledger), 'lsa_ann 1 t, lsa_bob 1 f', 'as the ledger tells');
SELECT is(t.run('lsa_bob', 'SELECT string_agg(concat_ws('' '', trim_scale(epsilon), shared), '', '' ORDER BY at) FROM dp_history'), '1 t', 'and dp_history');
SELECT is(t.ask('lsa_bob', 'people', 1, 'q', answer => 'third'), 'replayed first', 'again: a replay');
SELECT is(t.spent(), '1 1 1 0', 'for nothing');
SELECT is(t.ask('postgres', 'people', 1, 'q', answer => 'third'), 'shared first', 'who has no budget gets the same');
SELECT is(t.spent(), '1 1 1 0', 'the grant has paid');

-- another epsilon, which a role asks for first
SELECT is(t.ask('lsa_cat', 'people', 0.5, 'q', answer => 'half'), 'charged');
SELECT is(t.spent(), '1.5 1 1 0.5', 'is another answer');
SELECT is(t.ask('lsa_bob', 'people', 0.5, 'q', answer => 'other half'), 'replayed first', 'who has one answer to the question gets it again');
SELECT is(t.spent(), '1.5 1 1 0.5');

-- too little left of the asker's own budget: nothing is told
SELECT is(t.ask('lsa_ann', 'people', 9, 'dear', answer => 'dear'), 'charged');
SELECT is(t.ask('lsa_cat', 'people', 9, 'dear'), 'shared dear');
SELECT is(t.ask('lsa_cat', 'people', 9, 'dear2', answer => 'x'), '53400: insufficient privacy budget for "people" | The query asks for epsilon 9; your budget has 0.5 left.');
SELECT is(t.ask('lsa_ann', 'people', 0.5, 'cheap', answer => 'x'), '53400: insufficient privacy budget for "people" | The query asks for epsilon 0.5; your budget has 0 left.');
SELECT is(t.ask('lsa_bob', 'people', 2, 'other', answer => 'bob''s'), 'charged');
SELECT is(t.ask('lsa_ann', 'people', 2, 'other'), '53400: insufficient privacy budget for "people" | The query asks for epsilon 2; your budget has 0 left.', 'no answer without a charge');
-- the grant is empty: shared answers can still be had
SELECT dp_noise.alter_population('people', epsilon => (SELECT epsilon_spent FROM dp_noise.budgets WHERE role IS NULL));
SELECT dp_noise.set_budget(role, 'people', 50, 1e-3) FROM unnest('{lsa_ann,lsa_bob,lsa_cat}'::regrole[]) AS role;
SELECT is(left(t.ask('lsa_ann', 'people', 0.5, 'more'), 5), '53400', 'nothing is left of the grant');
SELECT is(t.ask('lsa_ann', 'people', 2, 'other'), 'shared bob''s', 'what was paid for is shared');
SELECT dp_noise.alter_population('people', epsilon => 1000);
-- a group's budget pays for what its member hears
SELECT dp_noise.set_budget('lsa_team', 'people', 5, 1e-3, shared => true);
SELECT is(t.ask('lsa_bob', 'people', 4, 'dear3', answer => 'x'), 'charged');
SELECT is(t.ask('lsa_cat', 'people', 2, 'cats', answer => 'cat''s'), 'charged');
SELECT is(t.ask('lsa_bob', 'people', 2, 'cats'), '53400: insufficient privacy budget for "people" | The query asks for epsilon 2; a shared budget has 1 left.');
SELECT dp_noise.drop_budget('lsa_team', 'people');

-- a role without the right to ask gets nothing
SELECT dp_noise.drop_budget('lsa_cat', 'people');
SELECT is(t.ask('lsa_cat', 'people', 1, 'q'), '42501: role "lsa_cat" has no privacy budget for "people"');
SELECT is(t.preview('lsa_cat', 1, 'q'), 'refused', 'and does not hear that there is an answer');
SELECT dp_noise.set_budget('lsa_cat', 'people', 50, 1e-3);

-- while the first is still asking: others ride on the payment
SELECT is(t.ask('lsa_ann', 'people', 1, 'open'), 'charged', 'no answer yet');
SELECT t.reopen(t.fingerprint('open'));
SELECT t.spent() AS before \gset
SELECT is(left(t.ask('lsa_ann', 'people', 1, 'open'), 5), '53400', 'the asker waits');
SELECT is(t.ask('lsa_bob', 'people', 1, 'open', answer => 'bob was first'), 'charged');
SELECT is(split_part(t.spent(), ' ', 1), split_part(:'before', ' ', 1), 'the grant has paid for this draw');
SELECT is(t.ask('lsa_cat', 'people', 1, 'open', answer => 'cat'), 'shared bob was first', 'whoever stores first gives the answer for all');
SELECT is(split_part(t.spent(), ' ', 1), split_part(:'before', ' ', 1));
SELECT is(t.ask('lsa_ann', 'people', 1, 'open'), 'replayed bob was first', 'the first asker, too, who has paid');
SELECT is((SELECT array_agg(grant_paid ORDER BY at) FROM dp_noise.ledger WHERE fingerprint = t.fingerprint('open')), '{t,f,f}', 'paid once');
-- of before a crash of the server, or in a dump: nobody rides on it
SELECT is(t.ask('lsa_ann', 'people', 1, 'crashed'), 'charged');
SELECT t.reopen(t.fingerprint('crashed'), true);
SELECT is(t.ask('lsa_bob', 'people', 1, 'crashed', answer => 'another'), 'charged');
SELECT is((SELECT array_agg(grant_paid ORDER BY at) FROM dp_noise.ledger WHERE fingerprint = t.fingerprint('crashed')), '{t,t}', 'paid again');

-- within one statement
SELECT t.spent() AS before \gset
SELECT is(t.run('lsa_ann', $$SELECT dp_noise.charge_all('{people,people}', '{1,1}', '{0,0}', '{both,q2}', '{A,B}')$$), '("{f,f}","{NULL,NULL}")');
SELECT is(t.run('lsa_bob', $$SELECT dp_noise.charge_all('{people,people,people}', '{1,1,1}', '{0,0,0}', '{both,q3,q2}', '{x,C,x}')$$), '("{f,f,f}","{""\\\\x41"",NULL,""\\\\x42""}")', 'some shared, some new');
SELECT is(split_part(t.spent(), ' ', 1)::numeric - split_part(:'before', ' ', 1)::numeric, 3.0, 'the grant pays for each once');

-- by the population's rules
SELECT dp_noise.alter_population('people', share_answers => false);
SELECT t.spent() AS before \gset
SELECT is(t.ask('lsa_ann', 'people', 1, 'mine', answer => 'ann''s'), 'charged');
SELECT is(t.preview('lsa_bob', 1, 'mine'), 'charged');
SELECT is(t.ask('lsa_bob', 'people', 1, 'mine', answer => 'bob''s'), 'charged', 'share_answers false: each role gets an answer of its own');
SELECT is(split_part(t.spent(), ' ', 1)::numeric - split_part(:'before', ' ', 1)::numeric, 2.0, 'and the grant pays for each');
SELECT is(t.ask('lsa_ann', 'people', 1, 'mine'), 'replayed ann''s');
SELECT is(t.ask('lsa_bob', 'people', 1, 'mine'), 'replayed bob''s');
SELECT dp_noise.alter_population('people', share_answers => true, on_repeat => 'answer');
SELECT is(t.ask('lsa_ann', 'people', 1, 'often', answer => '1'), 'charged');
SELECT is(t.ask('lsa_bob', 'people', 1, 'often', answer => '2'), 'charged', 'on_repeat answer: nothing is shared');
SELECT is((SELECT array_agg(grant_paid) FROM dp_noise.ledger WHERE fingerprint = t.fingerprint('often')), '{t,t}');
SELECT dp_noise.alter_population('people', on_repeat => 'refuse');
SELECT is(t.ask('lsa_ann', 'people', 1, 'once', answer => '1'), 'charged');
SELECT is(t.ask('lsa_bob', 'people', 1, 'once', answer => '2'), 'shared 1', 'on_repeat refuse: shared');
SELECT is(left(t.ask('lsa_bob', 'people', 1, 'once', answer => '2'), 5), '53400', 'and then it was answered');
SELECT dp_noise.alter_population('people', on_repeat => 'replay');

-- forgotten, and expired
SELECT is(t.ask('lsa_ann', 'people', 1, 'f', answer => 'old'), 'charged');
SELECT t.run('lsa_owner', 'SELECT dp_noise.forget_answers(''people'', now() + interval ''1 minute'')');
SELECT is(t.ask('lsa_bob', 'people', 1, 'f', answer => 'new'), 'charged', 'forgotten: drawn anew');
SELECT is(t.ask('lsa_ann', 'people', 1, 'f'), 'shared new', 'for the first asker, too, who pays');
SELECT is((SELECT array_agg(grant_paid ORDER BY at) FROM dp_noise.ledger WHERE fingerprint = t.fingerprint('f')), '{t,t,f}');
SELECT dp_noise.alter_population('people', answers_expire => '1 day');
SELECT t.wait('25 hours');
SELECT is(t.ask('lsa_cat', 'people', 1, 'f', answer => 'newest'), 'charged', 'expired: drawn anew');
SELECT is(t.ask('lsa_ann', 'people', 1, 'f'), 'shared newest');
SELECT is((SELECT array_agg(grant_paid ORDER BY at) FROM dp_noise.ledger WHERE fingerprint = t.fingerprint('f')), '{t,t,f,t,f}');

-- a role that is dropped: what it got answered stays everybody's
SELECT is(t.ask('lsa_cat', 'people', 1, 'legacy', answer => 'left'), 'charged');
DROP ROLE lsa_cat;
SELECT is(t.ask('lsa_bob', 'people', 1, 'legacy'), 'shared left');
CREATE ROLE lsa_cat;
SELECT is(t.ask('lsa_cat', 'people', 1, 'legacy'), '42501: role "lsa_cat" has no privacy budget for "people"', 'a namesake has not asked it');
SELECT dp_noise.set_budget('lsa_cat', 'people', 50, 1e-3);
SELECT is(t.ask('lsa_cat', 'people', 1, 'legacy'), 'shared left');
SELECT is((SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE role = 'lsa_cat'), 1.0, 'and pays for it');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP OWNED BY lsa_owner;
DROP ROLE lsa_owner, lsa_ann, lsa_bob, lsa_cat, lsa_team;
