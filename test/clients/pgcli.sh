#!/bin/bash
#
# pgcli: its own queries for completion at the start, statements from standard
# input, \d.

set -euo pipefail

if ! command -v pgcli >/dev/null; then
	printf 'skip\tthere is no pgcli\n'
	exit
fi
printf 'version\t%s\n' "$(pgcli --version)"

# no files of the user's are read or written
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export HOME=$home XDG_CONFIG_HOME=$home LESS_CLI_HELPER=1
printf '[main]\ntable_format = csv\nless_chatty = True\nenable_pager = False\n' >"$home/config"

# ask STATEMENT: its rows without the head
ask()
{
	pgcli --pgclirc "$home/config" --no-password <<<"$1" 2>&1
}
ask 'SELECT city, count(*) FROM people GROUP BY city' | sed "s/^/# /" >&2
echo done
