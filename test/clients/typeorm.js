// TypeORM: entities written by hand, .count() and .average() of repositories, its query builder.
const path = require('path');
const {say, need, ask, groups, run, same} = require('./lib/client.js');
need('pg');
const {DataSource, EntitySchema, MoreThan} = need('typeorm');

run(async () => {
	const {env} = process;
	const entity = new EntitySchema({
		name: 'Person', tableName: 'people', columns: {
			id: {type: 'integer', primary: true}, city: {type: 'text'}, smoker: {type: 'boolean'},
			age: {type: 'integer'}, weight: {type: 'double precision'}, joined: {type: 'timestamp'},
		},
	});
	const source = new DataSource({type: 'postgres', host: env.PGHOST, port: +env.PGPORT,
		username: env.PGUSER, database: env.PGDATABASE, entities: [entity], installExtensions: false});

	say('version', 'typeorm ' + require(path.resolve(require.resolve('typeorm'), '../package.json')).version);
	await source.initialize();
	const runner = source.createQueryRunner();
	// getTable() asks information_schema, which hides what one has no privilege on
	same('getTable()', await runner.getTable('people'), undefined);
	same('getTable() of what is shown', (await runner.getTable('guests')).columns.map(column => column.name).join(), 'city,age');
	const none = await (await runner.connect()).query('SELECT * FROM people LIMIT 0');
	say('columns', ...none.fields.map(field => field.name));
	await runner.release();

	const people = source.getRepository('Person');
	ask('all', await people.count());
	ask('age', await people.average('age', {smoker: true}));
	ask('heavier', 60.5, 'Oslo', await people.countBy({weight: MoreThan(60.5), city: 'Oslo'}));
	groups('cities', await people.createQueryBuilder('p').select('p.city', 'city')
		.addSelect('COUNT(*)', 'n').groupBy('p.city').getRawMany());
	groups('months', await people.createQueryBuilder('p')
		.select("to_char(date_trunc('month', p.joined), 'YYYY-MM-DD')", 'month')
		.addSelect('COUNT(*)', 'n').groupBy('month').getRawMany());
	ask('heavier', 71, 'Rome', await people.createQueryBuilder('p')
		.where('p.weight > :least AND p.city = :city', {least: 71, city: 'Rome'}).getCount());
	await people.find({take: 1}).catch(error => same('objects are refused', error.code, '42501'));
	await source.destroy();
});
