-- One answer to one question: refuse, replay, answer; for how long; and for all.
\ir support/ledger.sql
CREATE ROLE lre_ann;
CREATE ROLE lre_bob;
CREATE ROLE lre_cat;
CREATE TABLE people (id int);
CREATE TABLE flats (id int);
SELECT dp_noise.protect('people', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('flats', epsilon => 1e13, delta => 1);
SELECT no_plan();
-- Moves all that happened some time into the past.
CREATE FUNCTION t.wait(how_long interval) RETURNS void LANGUAGE sql AS $$
	UPDATE dp_noise_ledger.spending SET since = since - how_long;
	UPDATE dp_noise_ledger.answer SET at = at - how_long
$$;
CREATE FUNCTION t.spent(who text) RETURNS numeric LANGUAGE sql AS $$
	SELECT sum(trim_scale(epsilon_spent)) FROM dp_noise.budgets WHERE role = who
$$;

-- refuse
SELECT dp_noise.alter_population('people', on_repeat => 'refuse'), dp_noise.set_budget('lre_ann', 'people', 10);
SELECT dp_noise.set_budget('lre_bob', 'people', 10);
SELECT dp_noise.alter_population('flats', on_repeat => 'refuse'), dp_noise.set_budget('lre_ann', 'flats', 10);
SELECT is(t.ask('lre_ann', 'people', 1, 'q'), 'charged');
SELECT is(t.ask('lre_ann', 'people', 1, 'q'),
	'53400: this question about "people" was answered before | charge with the same conditions has an answer already; a second one with fresh noise would reveal more than the budget allows.');
SELECT is(left(t.ask('lre_ann', 'people', 0.5, 'q'), 5), '53400', 'another epsilon makes no other question');
SELECT is(t.ask('lre_ann', 'people', 1, 'other'), 'charged');
SELECT is(t.ask('lre_ann', 'flats', 1, 'q'), 'charged', 'about another relation');
SELECT is(t.ask('lre_bob', 'people', 1, 'q'), 'charged', 'by somebody else');
SELECT is(t.run('lre_ann', $$SELECT dp_noise.charge_all('{people,people}', '{1,1}', '{0,0}', '{new,q}', '{NULL,NULL}')$$),
	'53400: this question about "people" was answered before | charge with the same conditions has an answer already; a second one with fresh noise would reveal more than the budget allows.', 'beside a new one');
SELECT is(t.run('lre_ann', $$SELECT dp_noise.charge_all('{people,people}', '{1,1}', '{0,0}', '{new,new}', '{NULL,NULL}')$$),
	'53400: the statement asks the same question about "people" twice');
SELECT is(t.spent('lre_ann'), 3.0, 'refused questions are free');
SELECT dp_noise.unprotect('people');
SELECT dp_noise.protect('people');
SELECT is(left(t.ask('lre_ann', 'people', 1, 'q'), 5), '53400', 'protected again: still asked');
SELECT dp_noise.drop_budget('lre_ann', 'people');
SELECT dp_noise.set_budget('lre_ann', 'people', 10, period => '1 day');
SELECT dp_noise.set_budget('lre_ann', 'people', 10);
SELECT is(left(t.ask('lre_ann', 'people', 1, 'q'), 5), '53400', 'since ever, not since the budget was changed');

-- replay
SELECT dp_noise.alter_population('people', on_repeat => 'replay'), dp_noise.set_budget('lre_bob', 'people', 10);
SELECT is(left(t.ask('lre_bob', 'people', 1, 'q'), 5), '53400', 'without a stored answer: refused');
SELECT is(t.ask('lre_bob', 'people', 1, 'r', answer => '42'), 'charged');
SELECT is(t.ask('lre_bob', 'people', 1, 'r', answer => '43'), 'replayed 42');
SELECT is(t.ask('lre_bob', 'people', 1e12, 'r', answer => '43'), 'replayed 42', 'free, whatever epsilon');
SELECT is(t.spent('lre_bob'), 2.0);
SELECT is(t.run('lre_bob', $$SELECT dp_noise.charge_all('{people,people,people}', '{1,1,1}', '{0,0,0}', '{a,r,b}', '{A,R,B}')$$),
	'("{f,t,f}","{NULL,""\\\\x3432"",NULL}")', 'only the new ones of a statement are charged');
SELECT is(t.spent('lre_bob'), 4.0);
SELECT is(t.run('lre_bob', $$SELECT dp_noise.charge_all('{people,people,people}', '{1,1,1}', '{0,0,0}', '{b,r,a}', '{x,x,x}')$$),
	'("{t,t,t}","{""\\\\x42"",""\\\\x3432"",""\\\\x41""}")', 'in the order of the statement');
SELECT is(t.run('lre_bob', $$SELECT dp_noise.charge_all('{people,people}', '{1,100}', '{0,0}', '{a,new}', '{x,x}')$$),
	'53400: insufficient privacy budget for "people" | The query asks for epsilon 100; your budget has 6 left.', 'a refusal tells no stored answer');
SELECT is(t.ask('lre_ann', 'flats', 1, 'r', answer => '1'), 'charged', 'answers about another population are none');
SELECT dp_noise.set_budget('lre_bob', 'people', 0);
SELECT is(t.ask('lre_bob', 'people', 1, 'r'), 'replayed 42', 'also when nothing is left');
SELECT dp_noise.drop_budget('lre_bob', 'people');
SELECT is(t.ask('lre_bob', 'people', 1, 'r'), '42501: role "lre_bob" has no privacy budget for "people"', 'not without a budget');
SELECT dp_noise.set_budget('lre_bob', 'people', 100);
-- sizes around what fits a slot, and far beyond
SELECT is(t.ask('lre_bob', 'people', 0.001, 's' || n, answer => decode(repeat('ab', n), 'hex')), 'charged', format('answer of %s bytes', n))
FROM unnest('{1,2,1000,2900,3000,3010,3020,3030,3050,3100,3848,3849,4000,4096,8192,1048576}'::int[]) AS n;
SELECT is(md5(t.ask('lre_bob', 'people', 0.001, 's' || n)), md5('replayed ' || encode(decode(repeat('ab', n), 'hex'), 'escape')), format('replayed %s bytes', n))
FROM unnest('{1,2,1000,2900,3000,3010,3020,3030,3050,3100,3848,3849,4000,4096,8192,1048576}'::int[]) AS n;
SELECT is(t.run('lre_bob', $$SELECT md5(string_agg(x, '')) FROM unnest((dp_noise.charge_all('{people,people,people}', '{1,1,1}', '{0,0,0}', '{s1048576,s1,s8192}', '{x,x,x}')).answered) AS x$$),
	md5(decode(repeat('ab', 1048576 + 1 + 8192), 'hex')), 'a long answer and others at once');

-- answer
SELECT dp_noise.alter_population('flats', on_repeat => 'answer'), dp_noise.set_budget('lre_ann', 'flats', 10);
SELECT is(t.ask('lre_ann', 'flats', 1, 'q', answer => 'first'), 'charged', 'again, charged again');
SELECT is(t.ask('lre_ann', 'flats', 1, 'q', answer => 'second'), 'charged');
SELECT is(t.run('lre_ann', $$SELECT dp_noise.charge_all('{flats,flats}', '{1,1}', '{0,0}', '{q,q}', '{x,third}')$$), '("{f,f}","{NULL,NULL}")', 'twice in a statement');
SELECT dp_noise.alter_population('flats', on_repeat => 'replay'), dp_noise.set_budget('lre_ann', 'flats', 10);
SELECT is(t.ask('lre_ann', 'flats', 1, 'q'), 'replayed third', 'then replay gives the last answer');

-- periods: they refill the role's budget, never the grant, and have nothing to do with what was asked
SELECT epsilon_spent AS before FROM dp_noise.budgets WHERE population = 'public.people' AND role IS NULL \gset
SELECT dp_noise.set_budget('lre_ann', 'people', 1, period => '1 day');
UPDATE dp_noise_ledger.spending AS s SET epsilon = 0 FROM dp_noise_ledger.budget AS b WHERE b.budget_id = s.budget_id AND b.role_name = 'lre_ann';
SELECT is(t.ask('lre_ann', 'people', 1, 'daily'), 'charged');
SELECT is(left(t.ask('lre_ann', 'people', 1, 'daily2'), 5), '53400', 'spent for today');
SELECT t.wait('23 hours 59 minutes');
SELECT is(left(t.ask('lre_ann', 'people', 1, 'daily2'), 5), '53400', 'nearly tomorrow');
SELECT is(t.run('lre_ann', $$SELECT trim_scale(remaining) || ' ' || (refills_at - now() BETWEEN '0' AND '1 minute') FROM dp_budget WHERE population = 'public.people'$$), '0 true', 'dp_budget says when it refills');
SELECT t.wait('1 minute');
SELECT is(t.run('lre_ann', $$SELECT trim_scale(spent) || ' ' || trim_scale(remaining) || ' ' || (refills_at - now() BETWEEN '23 hours 59 minutes' AND '1 day') FROM dp_budget WHERE population = 'public.people'$$), '0 1 true', 'tomorrow: dp_budget');
SELECT is((SELECT trim_scale(epsilon_spent) || ' ' || trim_scale(epsilon_left) FROM dp_noise.budgets WHERE role = 'lre_ann' AND population = 'public.people'), '0 1', 'dp_noise.budgets');
SELECT is(left(t.ask('lre_ann', 'people', 1, 'daily'), 5), '53400', 'tomorrow: the same question is still asked');
SELECT is(t.ask('lre_ann', 'people', 1, 'daily3'), 'charged', 'another one');
SELECT is(left(t.ask('lre_ann', 'people', 1, 'daily2'), 5), '53400', 'what was not spent yesterday is not left today');
SELECT t.wait('400 days 1 hour');
SELECT is(t.ask('lre_ann', 'people', 1, 'yearly'), 'charged', 'after a year');
SELECT is(left(t.ask('lre_ann', 'people', 0.1, 'daily2'), 5), '53400', 'refilled once');
SELECT dp_noise.set_budget('lre_ann', 'people', 1, period => '1 day');
SELECT is(left(t.ask('lre_ann', 'people', 0.1, 'daily2'), 5), '53400', 'the same period again: nothing begins anew');
SELECT dp_noise.set_budget('lre_ann', 'people', 1, period => '1 hour');
SELECT is(left(t.ask('lre_ann', 'people', 0.1, 'daily2'), 5), '53400', 'another period begins now, with what is spent');
SELECT t.wait('1 hour');
SELECT is(t.ask('lre_ann', 'people', 0.1, 'daily2'), 'charged');
SELECT is(epsilon_spent - :before, 3.1, 'the grant never refills') FROM dp_noise.budgets WHERE population = 'public.people' AND role IS NULL;

-- begins of periods
SELECT is(dp_noise.period_begin(s, p, a), w, format('%s every %s, at %s', s, p, a))
FROM (VALUES
	('2024-01-31 00:00+00'::timestamptz, '1 month'::interval, '2024-02-28 23:59+00'::timestamptz, '2024-01-31 00:00+00'::timestamptz),
	('2024-01-31 00:00+00', '1 month', '2024-02-29 00:00+00', '2024-02-29 00:00+00'),
	('2024-01-15 00:00+00', '1 month', '2024-12-31 00:00+00', '2024-12-15 00:00+00'),
	('2024-02-29 00:00+00', '1 year', '2027-03-01 00:00+00', '2027-02-28 00:00+00'),
	('2024-01-01 00:00+00', '30 days', '2024-01-30 23:59:59.999999+00', '2024-01-01 00:00+00'),
	('2024-01-01 00:00+00', '30 days', '2024-01-31 00:00+00', '2024-01-31 00:00+00'),
	('2024-03-30 12:00+00', '1 day', '2024-04-01 12:00+00', '2024-04-01 12:00+00'),
	('2024-01-01 00:00+00', NULL, '2034-01-01 00:00+00', '2024-01-01 00:00+00'),
	('2030-01-01 00:00+00', '1 day', '2024-01-01 00:00+00', '2030-01-01 00:00+00')) AS v (s, p, a, w);
SET timezone = 'Europe/Berlin';
SELECT is(dp_noise.period_begin('2024-03-30 12:00+00', '1 day', '2024-04-01 11:30+00'), '2024-03-31 12:00+00', 'the time zone of who looks does not matter');
RESET timezone;
SET statement_timeout = '3s';
SELECT ok(a - dp_noise.period_begin('0001-01-01 00:00+00', p, a) BETWEEN '0' AND p, format('2000 years of %s, fast', p))
FROM unnest('{1 second,1.5 seconds,1 hour,1 day,1 mon,1 mon 1 day,1 year 1 mon 1 day 01:00:01,1000 years}'::interval[]) AS p,
	(VALUES ('2024-02-29 12:34:56.789+00'::timestamptz)) AS v (a);
RESET statement_timeout;

-- answers_expire: an answer is not used for longer; a question without one stays asked
SELECT dp_noise.alter_population('people', answers_expire => '1 day'), dp_noise.set_budget('lre_ann', 'people', 100), dp_noise.set_budget('lre_bob', 'people', 100);
SELECT is(t.ask('lre_ann', 'people', 1, 'e', answer => 'old'), 'charged');
SELECT is(t.ask('lre_ann', 'people', 1, 'open'), 'charged');
SELECT t.reopen(decode(rpad(encode('open', 'hex'), 64, '0'), 'hex')); -- as if it were running
SELECT t.wait('23 hours 59 minutes');
SELECT is(t.ask('lre_ann', 'people', 1, 'e', answer => 'new'), 'replayed old', 'nearly a day');
SELECT t.wait('1 minute');
SELECT is(t.ask('lre_ann', 'people', 1, 'e', answer => 'new'), 'charged', 'a day');
SELECT is(t.ask('lre_ann', 'people', 1, 'e', answer => 'newer'), 'replayed new');
SELECT t.wait('400 days');
SELECT is(left(t.ask('lre_ann', 'people', 1, 'open'), 5), '53400', 'what has no answer does not expire');
SELECT is(t.ask('lre_bob', 'people', 1, 'e', answer => 'bob'), 'charged', 'nobody shares what has expired');
SELECT dp_noise.alter_population('people', answers_expire => '0');
SELECT t.wait('400 days');
SELECT is(t.ask('lre_bob', 'people', 1, 'e'), 'replayed bob', 'answers_expire 0: never');

-- refuse, too: after the time it may be asked again
SELECT dp_noise.alter_population('people', on_repeat => 'refuse', answers_expire => '1 day');
SELECT is(t.ask('lre_bob', 'people', 1, 'x', answer => '1'), 'charged');
SELECT is(left(t.ask('lre_bob', 'people', 1, 'x', answer => '2'), 5), '53400');
SELECT t.wait('25 hours');
SELECT is(t.ask('lre_bob', 'people', 1, 'x', answer => '3'), 'charged');
SELECT dp_noise.alter_population('people', on_repeat => 'replay', answers_expire => '0');

-- stored answers that are long together: the worker reads no more than 64 MB for a statement
SELECT dp_noise.alter_population('flats', on_repeat => 'replay'), dp_noise.set_budget('lre_ann', 'flats', 100);
SELECT is(t.run('lre_ann', format($$SELECT replayed FROM dp_noise.charge('flats', 1, 0, 'long%s', convert_to(repeat('x', 15000000), 'utf8'))$$, i)), 'false', 'a long answer')
FROM generate_series(1, 5) AS i;
CREATE FUNCTION t.ask_long(n int) RETURNS text LANGUAGE sql AS $$
	SELECT t.run('lre_ann', format('SELECT (SELECT bool_and(r) FROM unnest(replayed) AS r) || '' '' || (SELECT sum(octet_length(a)) FROM unnest(answered) AS a) FROM dp_noise.charge_all(%L, %L, %L, %L, %L)',
		array_fill('flats'::regclass, ARRAY[n]), array_fill(1, ARRAY[n]), array_fill(0, ARRAY[n]), ARRAY(SELECT ('long' || i)::bytea FROM generate_series(1, n) AS i), array_fill(NULL::bytea, ARRAY[n])))
$$;
SELECT is(t.ask_long(4), 'true 60000000', 'four of them');
SELECT is(t.ask_long(5), '54000: the stored answers to this statement are too long | They take more than 64 MB.', 'five are too many at once');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP ROLE lre_ann, lre_bob, lre_cat;
