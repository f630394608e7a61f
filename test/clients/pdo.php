<?php
// PDO and the functions pg_*: statements prepared on the server, emulated ones,
// metadata of no rows.

if (!extension_loaded('pdo_pgsql') || !extension_loaded('pgsql')) {
	say('skip', 'PHP has no pdo_pgsql');
	exit;
}

function say(...$fields)
{
	echo implode("\t", $fields), "\n";
}

/** Keys and values as one line. */
function groups($question, $rows)
{
	say($question, ...array_map(
		fn($row) => substr($row[0], 0, 10) . '=' . $row[1], $rows));
}

$pdo = new PDO('pgsql:host=' . getenv('PGHOST') . ';port=' . getenv('PGPORT'),
	getenv('PGUSER'), '', [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
say('version', 'PHP ' . PHP_VERSION . ', libpq '
	. $pdo->getAttribute(PDO::ATTR_CLIENT_VERSION));

$none = $pdo->query('SELECT * FROM people LIMIT 0');
say('columns', ...array_map(
	fn($i) => $none->getColumnMeta($i)['name'], range(0, $none->columnCount() - 1)));

say('all', $pdo->query('SELECT count(*) FROM people')->fetchColumn());
groups('cities', $pdo->query(
	'SELECT city, count(*) FROM people GROUP BY city')->fetchAll(PDO::FETCH_NUM));
say('age', $pdo->query('SELECT avg(age) FROM people WHERE smoker')->fetchColumn());

foreach ([false, true] as $emulate) {
	$heavier = $pdo->prepare(
		'SELECT count(*) FROM people WHERE weight > :least AND city = :city',
		[PDO::ATTR_EMULATE_PREPARES => $emulate]);
	for ($least = 60; $least < 72; $least++) {
		$heavier->execute(['least' => $least, 'city' => 'Oslo']);
		say('heavier', $least, 'Oslo', $heavier->fetchColumn());
	}
}
groups('months', $pdo->query("SELECT date_trunc('month', joined), count(*)
	FROM people GROUP BY 1 ORDER BY 1")->fetchAll(PDO::FETCH_NUM));

$link = pg_connect('');
$meta = pg_meta_data($link, 'people');
say('same', 'pg_meta_data', implode(' ', array_keys($meta)), 'id city smoker age weight joined');
$result = pg_query_params($link,
	'SELECT count(*) FROM people WHERE weight > $1 AND city = $2', [60.5, 'Rome']);
say('heavier', 60.5, 'Rome', pg_fetch_result($result, 0, 0));
groups('cities', array_map(fn($line) => explode("\t", trim($line)),
	pg_copy_to($link, '(SELECT city, count(*) FROM people GROUP BY city)')));
say('done');
