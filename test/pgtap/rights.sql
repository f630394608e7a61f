-- What runs with other rights than the caller's, and which C functions everybody
-- may call: by the catalogue, compared with the lists here. Whoever adds one
-- adds it to src/other-rights.md as well.
SELECT no_plan();

CREATE TEMP VIEW member AS
SELECT d.classid, d.objid
FROM pg_depend AS d JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'dp_noise' AND d.deptype = 'e';
CREATE TEMP VIEW function AS
SELECT p.*, l.lanname, n.nspname, EXISTS (
	SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a WHERE a.grantee = 0) AS is_public
FROM pg_proc AS p
JOIN member AS m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
JOIN pg_language AS l ON l.oid = p.prolang
JOIN pg_namespace AS n ON n.oid = p.pronamespace;

-- Support of aggregates and types: of those of the extension alone, by the
-- patterns of their names.
CREATE TEMP VIEW support AS
SELECT f.oid FROM function AS f
WHERE f.lanname = 'c' AND f.nspname = 'dp_noise'
	AND f.proname ~ '^[a-z_]+_(transition|combine|serialize|deserialize|final|state_(in|out|combine|final)|final_[a-z_]+)$'
	AND (EXISTS (SELECT FROM pg_aggregate AS a JOIN member AS m ON m.classid = 'pg_proc'::regclass AND m.objid = a.aggfnoid
			WHERE f.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn))
		OR EXISTS (SELECT FROM pg_type AS t JOIN member AS m ON m.classid = 'pg_type'::regclass AND m.objid = t.oid
			WHERE f.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend)));

-- with the rights of the extension's owner
SELECT set_eq($$SELECT proname::text FROM function WHERE prosecdef$$, $$VALUES
	('do_create_population'), ('do_alter_population'), ('do_drop_population'), ('do_allow_members'),
	('do_protect'), ('do_unprotect'), ('do_set_bounds'), ('do_set_values'), ('do_set_levels'), ('do_set_budget'), ('do_drop_budget'), ('do_forfeit'), ('do_forgive'), ('do_forget_answers'),
	('do_read_populations'), ('do_read_budgets'), ('do_read_ledger'), ('do_read_own_budgets'), ('do_read_own_columns'), ('do_read_own_history'), ('do_read_own_answers'), ('do_read_protected_relations'),
	('do_read_askers'), ('do_read_population_findings'), ('do_read_place_changes'), ('do_script'), ('do_disclosure'),
	('do_harden'), ('do_accept_timeline'), ('archive'), ('read_spending'),
	('members_of'), ('doubts_of'),
	('on_drop'), ('on_rename'), ('on_column_drop'), ('on_column_rename'), ('on_rule'), ('on_drop_start')$$, 'SECURITY DEFINER');
-- called by those, or by the ledger worker, alone
SELECT set_eq($$SELECT proname::text FROM function WHERE NOT prosecdef AND NOT is_public AND lanname <> 'c'$$, $$VALUES
	('find_role'), ('on_insert'), ('cost_sum'), ('period_begin'), ('check_period'), ('check_grant'), ('amounts_shown'), ('queries_left'),
	('population_number'), ('forget_answers_of'), ('add_population'), ('check_repeats'), ('pool_of'), ('name_of_role'), ('is_spent'),
	('is_missing'), ('names_of'), ('path_target'), ('path_keys'), ('is_unique_key'), ('check_path_columns'), ('path_type'), ('path_parts'), ('lock_target'), ('have_one_owner'), ('read_path'), ('path_text'), ('unit_roots'), ('check_same_people'),
	('lock_member'), ('change_member'), ('remove_members'), ('column_number'), ('has_one_row_each'), ('can_be_unit'), ('populations_beneath'), ('may_be_member'), ('find_population_for'), ('choose_population'), ('lock_population_of'), ('bounded_kind'),
	('paying_groups'), ('own_budget'), ('no_budget'), ('lock_columns_of'), ('with_new_name'), ('relations_of'), ('accounts_of'), ('bound_text'), ('members_in_order'),
	('present_seal'), ('add_place'), ('start_numbers'), ('set_place'), ('notice_place'), ('is_displaced'), ('is_copy'), ('place_changes')$$, 'functions that not everybody may call');
SELECT set_eq($$SELECT proname::text FROM function WHERE NOT is_public AND lanname = 'c' AND oid NOT IN (SELECT oid FROM support)$$, $$VALUES
	('lock_population'), ('lock_names'), ('lock_schema'), ('lock_columns'), ('check_snapshot'), ('present_place'), ('seal_database'), ('distribution'), ('plain_values'), ('column_name'), ('charge'), ('charge_all'), ('charge_preview'),
	('cost_of_pure'), ('rho_of_grant'), ('epsilon_of_rho'), ('release'), ('true_states'), ('describe_question'), ('sample'),
	('harden'), ('accept_timeline'), ('allow_drop'), ('read_activity')$$, 'and those of them in C');
-- with the caller's rights, though not in C
SELECT set_eq($$SELECT proname::text FROM function WHERE NOT prosecdef AND is_public AND lanname <> 'c' AND prokind <> 'a'$$, $$VALUES
	('paths_to'), ('protect_schema'), ('propose'), ('comparisons_in'), ('constant_text'), ('rehearse'), ('invented_value'), ('role_text'), ('statistics_sources'), ('hidden_columns'), ('carriers'),
	('check_grants'), ('check_nodes'), ('check_roles'), ('check_code'), ('check_statistics'), ('check_server'), ('check_place'), ('check_paths'), ('check_views'), ('check_failures'), ('check')$$, 'functions that run with their caller''s rights');
-- views read with their owner's rights
SELECT set_eq($$SELECT c.relname::text FROM pg_class AS c JOIN member AS m ON m.classid = 'pg_class'::regclass AND m.objid = c.oid WHERE c.relkind IN ('v', 'm')$$, $$VALUES
	('every_charge'), ('account'), ('populations'), ('budgets'), ('ledger'), ('protected_relations'), ('dp_budget'), ('dp_columns'), ('dp_relations'), ('dp_history'), ('asker'), ('reach'), ('activity'), ('spending')$$, 'views');
SELECT set_eq($$SELECT e.evtname::text, e.evtfoid::regprocedure::text, e.evtenabled::text FROM pg_event_trigger AS e JOIN member AS m ON m.classid = 'pg_event_trigger'::regclass AND m.objid = e.oid$$,
	$$VALUES ('dp_noise_on_drop', 'dp_noise.on_drop()', 'A'), ('dp_noise_on_rename', 'dp_noise.on_rename()', 'A'), ('dp_noise_on_column_drop', 'dp_noise.on_column_drop()', 'A'),
	('dp_noise_on_column_rename', 'dp_noise.on_column_rename()', 'A'), ('dp_noise_on_rule', 'dp_noise.on_rule()', 'A'), ('dp_noise_on_drop_start', 'dp_noise.on_drop_start()', 'A')$$, 'event triggers, always enabled');
-- nothing else has code: rules of views and the triggers for restores aside, no rules, triggers, policies, defaults with functions of others, casts, operators
SELECT set_eq($$SELECT DISTINCT classid::regclass::text FROM member$$, $$VALUES ('pg_class'), ('pg_proc'), ('pg_type'), ('pg_namespace'), ('pg_event_trigger')$$, 'kinds of objects');
SELECT is_empty($$SELECT t.tgname FROM pg_trigger AS t JOIN member AS m ON m.classid = 'pg_class'::regclass AND m.objid = t.tgrelid WHERE NOT t.tgisinternal
		AND NOT (t.tgfoid = 'dp_noise.on_insert'::regproc AND t.tgrelid = ANY ('{dp_noise_ledger.population,dp_noise_ledger.allowance,dp_noise_ledger.member,dp_noise_ledger.budget}'::regclass[]))
	UNION ALL SELECT p.polname FROM pg_policy AS p JOIN member AS m ON m.classid = 'pg_class'::regclass AND m.objid = p.polrelid
	UNION ALL SELECT w.rulename FROM pg_rewrite AS w JOIN member AS m ON m.classid = 'pg_class'::regclass AND m.objid = w.ev_class JOIN pg_class AS c ON c.oid = w.ev_class WHERE c.relkind <> 'v'$$,
	'the ledger''s tables have no other triggers, policies or rules');
SELECT is_empty($$SELECT a.attrelid::regclass, a.attname, a.atttypid::regtype FROM pg_attribute AS a JOIN member AS m ON m.classid = 'pg_class'::regclass AND m.objid = a.attrelid
	JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind = 'r' WHERE a.attnum > 0 AND a.atttypid >= 16384$$, 'and columns of the server''s types alone');

-- the search path, everywhere
SELECT is_empty($$SELECT oid::regprocedure FROM function WHERE lanname <> 'c' AND prokind <> 'a' AND NOT coalesce(proconfig @> '{"search_path=pg_catalog, pg_temp"}', false)$$,
	'every function that is not in C has the search path of the server alone, temporary objects last');
-- what runs with other rights tells the caller nothing but its result and errors:
-- plans that debug_print_plan shows, say, are messages of level LOG
SELECT is_empty($$SELECT oid::regprocedure FROM function WHERE prosecdef AND NOT coalesce(proconfig @> '{client_min_messages=error}', false)$$,
	'every SECURITY DEFINER function keeps its messages back');
-- types of parameters are the server's, or a row of the ledger's
SELECT is_empty($$SELECT f.oid::regprocedure FROM function AS f, unnest(f.proargtypes) AS t (type)
	WHERE (f.prosecdef OR NOT f.is_public) AND f.oid NOT IN (SELECT oid FROM support) AND t.type >= 16384 AND t.type <> ALL ('{dp_noise_ledger.budget,dp_noise_ledger.account,dp_noise_ledger.place,dp_noise_ledger.cost}'::regtype[])$$, 'types of parameters');
SELECT is_empty($$SELECT f.oid::regprocedure FROM function AS f, unnest(f.proargtypes) AS t (type)
	WHERE (f.prosecdef OR f.prosrc ~ '^dp_(read_)?as_')
		AND t.type <> ALL ('{oid,regclass,regclass[],regrole,regrole[],text,text[],numeric,numeric[],integer,boolean,interval,timestamptz}'::regtype[])$$, 'those of what others enter by');
-- no dynamic SQL but GRANT and REVOKE in harden(), partitions by year in archive(), and of fixed texts about tables and functions that may not be there; with the caller's rights, constants of constraints and the invented rows of rehearse()
SELECT set_eq($$SELECT proname::text FROM function WHERE lanname = 'plpgsql' AND regexp_replace(prosrc, '''[^'']*''', '', 'g') ~* '\mexecute\M'$$, $$VALUES ('do_harden'), ('archive'), ('check_nodes'), ('constant_text'), ('rehearse')$$, 'dynamic SQL');
-- each body do_X has its function X of the same parameters, in C, which checks who calls
SELECT is_empty($$SELECT d.oid::regprocedure FROM function AS d WHERE d.prosecdef AND d.proname LIKE 'do\_%' AND NOT EXISTS (
	SELECT FROM function AS f WHERE f.pronamespace = d.pronamespace AND 'do_' || f.proname = d.proname
		AND CASE WHEN f.proname LIKE 'read\_%' THEN f.prosrc IN ('dp_read_as_user', 'dp_read_as_session') AND f.pronargs = 0
			WHEN f.proname = 'set_bounds' THEN f.prosrc = 'dp_set_bounds' AND f.pronargs = d.pronargs
			WHEN f.prosrc = 'dp_as_user' THEN 'oid'::regtype::oid || f.proargtypes::oid[] = d.proargtypes::oid[]
			ELSE f.proargtypes = d.proargtypes AND ('regclass'::regtype = ANY (f.proargtypes::oid[]) AND f.prosrc = 'dp_as_owner'
				OR 'text'::regtype = ANY (f.proargtypes::oid[]) AND f.prosrc IN ('dp_as_population_owner', 'dp_alter_population', 'dp_read_as_population_owner')) END)$$, 'bodies and their doors');

-- C functions that everybody may call, by name: no support function of an
-- aggregate, and of a type its texts alone
SELECT is_empty($$SELECT oid::regprocedure FROM function
	WHERE lanname = 'c' AND is_public
		AND NOT (nspname = 'dp_noise' AND proname IN ('protect', 'unprotect', 'set_values', 'set_levels') AND prosrc = 'dp_as_owner')
		AND NOT (nspname = 'dp_noise' AND proname IN ('drop_population', 'allow_members', 'set_budget', 'drop_budget', 'forfeit', 'forgive', 'forget_answers') AND prosrc = 'dp_as_population_owner')
		AND NOT (nspname = 'dp_noise' AND proname = 'alter_population' AND prosrc = 'dp_alter_population')
		AND NOT (nspname = 'dp_noise' AND proname IN ('script', 'disclosure') AND prosrc = 'dp_read_as_population_owner')
		AND NOT (nspname = 'dp_noise' AND proname IN ('create_population', 'forget_answers') AND prosrc = 'dp_as_user')
		AND NOT (nspname = 'dp_noise' AND proname = 'set_bounds' AND prosrc = 'dp_set_bounds')
		AND NOT (nspname = 'dp_noise' AND proname = 'suggest' AND prosrc = 'dp_suggest')
		AND NOT (nspname = 'dp_noise' AND proname = 'price' AND prosrc = 'dp_price' AND NOT prosecdef)
		AND NOT (nspname = 'dp_noise' AND proname = 'check_view' AND prosrc = 'dp_check_view')
		AND NOT (nspname = 'dp_noise' AND proname = 'tells_rows_apart' AND prosrc = 'dp_tells_rows_apart' AND NOT prosecdef)
		AND NOT (nspname = 'dp_noise' AND proname = 'sample_sensitivity' AND prosrc = 'dp_sample_sensitivity' AND NOT prosecdef)
		AND NOT (nspname = 'dp_noise' AND proname IN ('read_populations', 'read_budgets', 'read_ledger', 'read_protected_relations', 'read_askers', 'read_population_findings', 'read_place_changes') AND prosrc = 'dp_read_as_user')
		AND NOT (nspname = 'dp_noise' AND proname IN ('read_own_budgets', 'read_own_columns', 'read_own_history', 'read_own_answers') AND prosrc = 'dp_read_as_session')
		AND NOT (nspname = 'dp_noise' AND proname IN ('choose', 'current_epsilon', 'current_rho', 'asked_epsilon', 'fails_on_node', 'grid_point', 'unit_and_value'))
		AND NOT (nspname = 'dp_noise' AND proname LIKE 'try\_%' AND (proisstrict OR proname ~ '^try_(array_(append|prepend|cat|positions?|remove|replace|to_string)|string_to_array|(int4|int8|num|date|ts|tstz)range)$') AND provolatile <> 'v' AND prosrc LIKE 'dp\_try%')
		AND NOT (nspname <> 'dp_noise' AND proname IN ('dp_expected_error', 'dp_expected_loss', 'dp_remap', 'dp_collusion_loss', 'dp_epsilon_for_colluders', 'dp_disclosure_risk', 'dp_epsilon_for_risk'))
		AND NOT (nspname <> 'dp_noise' AND proname IN ('dp_randomize', 'dp_randomize_bits', 'dp_report_bits', 'dp_randomized_counts', 'dp_randomized_bit_counts'))
		AND NOT (nspname <> 'dp_noise' AND proname IN ('dp_low', 'dp_high')) -- always an error
		AND NOT (nspname = 'dp_noise' AND proname IN ('total_functions', 'wrapped_functions') AND pronargs = 0 AND provolatile = 'i') -- names of the server's functions
		AND NOT (nspname = 'dp_noise' AND proname = 'library_version' AND pronargs = 0)$$,
	'C functions that PUBLIC may execute');

-- tables are nobody's but the owner's
SELECT is_empty($$SELECT c.oid::regclass, a.grantee, a.privilege_type FROM pg_class AS c JOIN member AS m ON m.classid = 'pg_class'::regclass AND m.objid = c.oid,
	aclexplode(coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner))) AS a
	WHERE a.grantee <> c.relowner AND NOT (c.relkind = 'v' AND a.grantee = 0 AND a.privilege_type = 'SELECT'
		AND c.relname IN ('populations', 'budgets', 'ledger', 'protected_relations', 'dp_budget', 'dp_columns', 'dp_relations', 'dp_history', 'asker', 'reach'))
		AND NOT (c.relname IN ('activity', 'spending') AND a.grantee = 'pg_read_all_stats'::regrole AND a.privilege_type = 'SELECT')$$, 'privileges on tables, sequences and views');
SELECT is_empty($$SELECT a.grantee, a.privilege_type FROM pg_namespace AS n, aclexplode(n.nspacl) AS a
	WHERE n.nspname = 'dp_noise' AND a.grantee <> n.nspowner AND NOT (a.grantee = 0 AND a.privilege_type = 'USAGE')$$, 'and on the schema');
-- what commands could lock by its name: all but the public views
SELECT is_empty($$SELECT a.grantee, a.privilege_type FROM pg_namespace AS n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) AS a
	WHERE n.nspname = 'dp_noise_ledger' AND a.grantee <> n.nspowner$$, 'nobody is let into the schema of the ledger''s tables');
SELECT is_empty($$SELECT c.oid::regclass FROM pg_class AS c JOIN member AS m ON m.classid = 'pg_class'::regclass AND m.objid = c.oid
	WHERE c.relkind <> 'c' AND c.relnamespace <> 'dp_noise_ledger'::regnamespace
		AND NOT (c.relkind = 'v' AND c.relname IN ('populations', 'budgets', 'ledger', 'protected_relations', 'dp_budget', 'dp_columns', 'dp_relations', 'dp_history', 'asker', 'reach', 'activity', 'spending'))$$, 'which are all there');

SELECT * FROM finish();
