// Evidence: its connector's runner of queries, which counts the rows of each query
// before it reads them, and tells the types of the columns.
const {say, need, ask, groups, run, same} = require('./lib/client.js');
const {getRunner, testConnection} = need('@evidence-dev/postgres');

run(async () => {
	const {env} = process;
	const options = {host: env.PGHOST, port: +env.PGPORT, user: env.PGUSER, database: env.PGDATABASE};
	const runner = await getRunner(options);
	const query = async text => {
		const {rows, columnTypes, expectedRowCount} = await runner(text, 'page.sql', 2);
		const result = [];

		for await (const batch of rows())
			result.push(...batch);
		same(`rows of ${text}`, result.length, expectedRowCount);
		return {rows: result, columns: columnTypes.map(column => column.name),
			types: columnTypes.map(column => column.evidenceType).join()};
	};
	const one = async text => Object.values((await query(text)).rows[0])[0];

	say('version', 'Evidence postgres ' + require('@evidence-dev/postgres/package.json').version);
	same('connects', await testConnection(options), true);
	const none = await query('SELECT * FROM people LIMIT 0');
	say('columns', ...none.columns);
	same('types', none.types, 'number,string,boolean,number,number,date');

	// what is counted is asked: twice the price, where repeats have one
	say('epsilon', 200);
	ask('all', await one('SELECT count(*) FROM people'));
	ask('age', await one('SELECT avg(age) FROM people WHERE smoker;'));
	const cities = await query('SELECT city, count(*) AS n FROM people GROUP BY city ORDER BY n DESC');
	same('types', cities.types, 'string,number');
	groups('cities', cities.rows);
	ask('heavier', 60.5, 'Oslo', await one("SELECT count(*) FROM people WHERE weight > 60.5 AND city = 'Oslo'"));
	const months = await query("SELECT date_trunc('month', joined) AS month, count(*) AS n FROM people GROUP BY 1 ORDER BY 1");
	same('types', months.types, 'date,number');
	groups('months', months.rows);
	await query('SELECT * FROM people LIMIT 10').then(
		() => same('rows are refused', false, true), () => same('rows are refused', true, true));
});
