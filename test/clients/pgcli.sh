#!/bin/bash
#
# pgcli: its own questions for completion at the start, \d, a named query with
# a parameter, csv.

set -euo pipefail

if ! command -v pgcli >/dev/null; then
	printf 'skip\tthere is no pgcli\n'
	exit
fi
printf 'version\tpgcli %s\n' "$(pgcli --version | sed 's/.* //')"

# no file of the user's is read or written
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export HOME=$home XDG_CONFIG_HOME=$home
cat >"$home/config" <<'EOF'
[main]
table_format = csv
enable_pager = False
less_chatty = True
[named queries]
heavier = SELECT count(*) FROM people WHERE weight > $1 AND city = $2
EOF

# ask STATEMENT: keys and values, or values, of its rows in one line
ask()
{
	pgcli --pgclirc "$home/config" --no-password <<<"$1" 2>/dev/null |
		sed -n 's/\r$//; s/","/=/g; s/^"\(.*\)"$/\1/p' | sed 1d | tr '\n' '\t' | sed 's/\t$/\n/'
}

printf 'columns\t%s\n' "$(ask '\d people' | sed 's/=[^\t]*//g')"
printf 'all\t%s\n' "$(ask 'SELECT count(*) FROM people')"
printf 'cities\t%s\n' "$(ask 'SELECT city, count(*) FROM people GROUP BY city')"
printf 'age\t%s\n' "$(ask 'SELECT avg(age) FROM people WHERE smoker')"
printf 'heavier\t60.5\tOslo\t%s\n' "$(ask "\\n heavier 60.5 \"'Oslo'\"")"
printf 'months\t%s\n' "$(ask "SELECT date_trunc('month', joined)::date, count(*) FROM people GROUP BY 1")"
echo done
