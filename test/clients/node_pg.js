// pg: parameters of the server, a named statement whose plan becomes generic,
// rows by a cursor, as arrays, and in binary.
const {say, need, ask, groups, run, same} = require('./lib/client.js');
const {Client, types} = need('pg');
const Cursor = need('pg-cursor');

// days as they are, whatever the time zone
types.setTypeParser(types.builtins.TIMESTAMP, text => text.substring(0, 10));

run(async () => {
	const client = new Client();
	const one = async (...query) => Object.values((await client.query(...query)).rows[0])[0];

	say('version', 'pg ' + require('pg/package.json').version);
	await client.connect();
	const none = await client.query('SELECT * FROM people LIMIT 0');
	say('columns', ...none.fields.map(field => field.name));

	ask('all', await one('SELECT count(*) FROM people'));
	const cities = 'SELECT city, count(*) FROM people GROUP BY city';
	groups('cities', (await client.query(cities)).rows);
	groups('cities', (await client.query({text: cities, rowMode: 'array'})).rows);
	ask('age', await one('SELECT avg(age) FROM people WHERE smoker'));
	ask('age', await one({text: 'SELECT avg(age)::float8 FROM people WHERE smoker', binary: true}));

	const heavier = 'SELECT count(*) FROM people WHERE weight > $1 AND city = $2';
	ask('heavier', 60.5, 'Rome', await one(heavier, [60.5, 'Rome']));
	for (let least = 60; least < 72; least++)
		ask('heavier', least, 'Oslo',
			await one({name: 'heavier', text: heavier, values: [least, 'Oslo']}));

	groups('months', (await client.query(
		"SELECT date_trunc('month', joined), count(*) FROM people GROUP BY 1")).rows);
	const cursor = client.query(new Cursor(cities));
	groups('cities', [...await cursor.read(2), ...await cursor.read(2)]);
	await cursor.close();
	await client.query('SELECT * FROM people').catch(
		error => same('rows are refused', error.code, '42501'));
	await client.end();
});
