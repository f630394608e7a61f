#!/bin/bash
#
# psql: \d, \gdesc, variables, rows fetched by a cursor (FETCH_COUNT), \crosstabview,
# \copy of a query, and PREPARE with a plan that becomes generic.

set -euo pipefail

# ask [OPTION...]: the statements on standard input, columns separated by tabs
ask()
{
	psql -XqAt -F $'\t' -v ON_ERROR_STOP=1 "$@"
}

# groups QUESTION: keys and values on standard input as one line
groups()
{
	printf '%s%s\n' "$1" "$(sed 's/\t/=/; s/^/\t/' | tr -d '\n')"
}

printf 'version\t%s\n' "$(psql --version)"

printf 'columns%s\n' "$(ask -c '\d people' | awk -F '\t' 'NF == 5 {printf "\t" $1}')"
printf 'same\t\\gdesc\t%s\tcount bigint avg numeric \n' "$(
	ask <<<'SELECT count(*), avg(age) FROM people \gdesc' | tr '\t\n' '  '
)"
printf 'same\tcolumns of no rows\t%s\tid city\n' "$(
	psql -XqA -F ' ' -P footer=off -c 'SELECT id, city FROM people LIMIT 0'
)"

printf 'all\t%s\n' "$(ask -c 'SELECT count(*) FROM people')"
ask <<<'SELECT city, count(*) FROM people GROUP BY city ORDER BY city' | groups cities
ask -v FETCH_COUNT=2 <<'EOF' | groups cities
SELECT city, count(*) FROM people GROUP BY city ORDER BY city;
EOF
ask <<<'\copy (SELECT city, count(*) FROM people GROUP BY 1) TO STDOUT' | groups cities
printf 'age\t%s\n' "$(ask -c 'SELECT avg(age) FROM people WHERE smoker')"
printf 'heavier\t60.5\tOslo\t%s\n' "$(
	ask -v least=60.5 -v city=Oslo <<-'EOF'
		SELECT count(*) FROM people WHERE weight > :least AND city = :'city'
	EOF
)"
ask <<-'EOF' | sed "s/^/heavier\t71\tRome\t/"
	PREPARE heavier(double precision, text) AS
	SELECT count(*) FROM people WHERE weight > $1 AND city = $2;
	SELECT format('EXECUTE heavier(71, %L)', 'Rome') FROM generate_series(1, 7) \gexec
EOF
ask <<'EOF' | groups months
SELECT date_trunc('month', joined)::date, count(*) FROM people GROUP BY date_trunc('month', joined)
EOF
# a column for each value of the second
ask -P fieldsep== <<'EOF' | groups cities
SELECT city, 'n', count(*) FROM people GROUP BY city \crosstabview
EOF
echo done
