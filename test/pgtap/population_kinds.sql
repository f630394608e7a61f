-- Two kinds of people, as doc/owner-guide.md has them: patients, and the staff who
-- see them.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
CREATE TABLE public.staff (staff_id int PRIMARY KEY, role text);
CREATE TABLE public.seen (visit_id int PRIMARY KEY, person_id int, staff_id int REFERENCES public.staff, role text);
INSERT INTO public.staff SELECT i, CASE WHEN i % 3 = 0 THEN 'doctor' ELSE 'nurse' END FROM generate_series(1, 30) AS i;
INSERT INTO public.seen SELECT i, i / 2, i % 30 + 1, s.role FROM generate_series(1, 600) AS i JOIN public.staff AS s ON s.staff_id = i % 30 + 1;
CREATE TABLE public.roles AS SELECT staff_id, role FROM public.staff;
GRANT SELECT ON public.roles TO PUBLIC;
ALTER TABLE public.roles ADD PRIMARY KEY (staff_id);
SELECT dp_noise.create_population('clinic', epsilon => 1e6, delta => 1e-3), dp_noise.create_population('staff', epsilon => 1e6);
SELECT dp_noise.protect('public.seen', 'person_id', population => 'clinic', max_rows_per_unit => 8, max_groups_per_unit => 2);
SELECT dp_noise.protect('public.staff', 'staff_id', population => 'staff');
SELECT dp_noise.set_budget('gate_ann', 'clinic', 1e6, 1e-3), dp_noise.set_budget('gate_ann', 'staff', 1e6);
SELECT dp_noise.set_values('public.seen', 'role', '{doctor,nurse}'), dp_noise.set_values('public.staff', 'role', '{doctor,nurse}');
RESET ROLE;
SELECT is(dp_noise.doubts_of('public.seen'::regclass) || dp_noise.doubts_of('public.staff'::regclass), '{}', 'no doubts');
SELECT matches(t.run('gate_ann', 'EXPLAIN SELECT s.role, count(DISTINCT v.person_id) FROM seen AS v JOIN staff AS s USING (staff_id) GROUP BY 1'), '^0A000', 'rows of two people are refused');
SELECT is(t.run('gate_ann', 'SELECT string_agg(role || round(n, -1), '' '' ORDER BY role) FROM (SELECT r.role, dp_count_distinct(v.person_id, 1000) AS n FROM seen AS v JOIN roles AS r USING (staff_id) GROUP BY 1) AS s'), 'doctor200 nurse300', 'patients seen per public role');
SELECT is(t.run('gate_ann', 'SELECT string_agg(role || round(n, -1), '' '' ORDER BY role) FROM (SELECT v.role, dp_count_distinct(v.person_id, 1000) AS n FROM seen AS v GROUP BY 1) AS s'), 'doctor200 nurse300', 'per role of the visit');
SELECT is(t.run('gate_ann', 'SELECT string_agg(role || n::integer, '' '' ORDER BY role) FROM (SELECT role, dp_count(staff_id, 1000) AS n FROM staff GROUP BY 1) AS s'), 'doctor10 nurse20', 'and staff per role');
SELECT * FROM finish();
\ir support/gate_end.sql
