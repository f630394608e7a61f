// knex: columns, its builder's count, avg, where and groupBy, raw keys.
const {say, need, ask, groups, run, same} = require('./lib/client.js');
const {types} = need('pg');
const knex = need('knex')({client: 'pg', connection: {}});

types.setTypeParser(types.builtins.TIMESTAMP, text => text.substring(0, 10));

run(async () => {
	say('version', 'knex ' + require('knex/package.json').version);
	// columnInfo() asks information_schema, which hides what one has no privilege on
	same('columnInfo()', Object.keys(await knex('people').columnInfo()).length, 0);
	same('columnInfo() of what is shown', Object.keys(await knex('guests').columnInfo()).join(), 'city,age');
	say('columns', ...(await knex.raw('SELECT * FROM people LIMIT 0')).fields.map(field => field.name));
	ask('all', (await knex('people').count('* as n'))[0].n);
	ask('all', (await knex('people').countDistinct('id as n').first()).n);
	ask('age', (await knex('people').avg('age as a').where({smoker: true}).first()).a);
	groups('cities', await knex('people').select('city').count().groupBy('city').orderBy('city'));
	groups('some\tOslo\tRome',
		await knex('people').select('city').count().whereIn('city', ['Oslo', 'Rome']).groupBy('city'));
	ask('heavier', 60.5, 'Oslo', (await knex('people')
		.count().where('weight', '>', 60.5).andWhere({city: 'Oslo'}).first()).count);
	groups('months', await knex('people').select(knex.raw("date_trunc(?, joined) as month", ['month']))
		.count('* as n').groupBy('month').orderBy('month'));
	groups('cities', await knex.with('c', q => q.from('people').select('city').count('* as n').groupBy('city'))
		.select('city', 'n').from('c').where('n', '>', 10));
	await knex('people').first().catch(error => same('rows are refused', error.code, '42501'));
	await knex.destroy();
});
