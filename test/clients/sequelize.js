// Sequelize: columns, Model.count, grouped findAll, aggregate functions.
const {say, need, ask, groups, run, same} = require('./lib/client.js');
need('pg');
const {Sequelize, DataTypes, Op, col, fn} = need('sequelize');

run(async () => {
	const {env} = process;
	const sequelize = new Sequelize(env.PGDATABASE, env.PGUSER, '',
		{host: env.PGHOST, port: env.PGPORT, dialect: 'postgres', logging: false});

	say('version', 'sequelize ' + Sequelize.version);
	// describeTable() asks information_schema, which hides what one has no privilege on
	await sequelize.getQueryInterface().describeTable('people').catch(
		error => same('describeTable()', /No description found/.test(error.message), true));
	same('describeTable() of what is shown', Object.keys(await sequelize.getQueryInterface().describeTable('guests')).join(), 'city,age');
	const [, none] = await sequelize.query('SELECT * FROM people LIMIT 0');
	say('columns', ...none.fields.map(field => field.name));
	const Person = sequelize.define('person', {
		city: DataTypes.TEXT, smoker: DataTypes.BOOLEAN, age: DataTypes.INTEGER,
		weight: DataTypes.DOUBLE, joined: DataTypes.DATE,
	}, {tableName: 'people', timestamps: false});

	ask('all', await Person.count());
	ask('all', await Person.count({distinct: true, col: 'id'}));
	groups('cities', await Person.count({group: ['city']}));
	groups('cities', await Person.findAll({
		attributes: ['city', [fn('COUNT', col('*')), 'n']], group: 'city', raw: true}));
	ask('age', await Person.aggregate('age', 'avg', {where: {smoker: true}, dataType: 'double'}));
	ask('heavier', 60.5, 'Oslo',
		await Person.count({where: {weight: {[Op.gt]: 60.5}, city: 'Oslo'}}));
	const month = fn('date_trunc', 'month', col('joined'));
	groups('months', await Person.findAll({
		attributes: [[fn('to_char', month, 'YYYY-MM-DD'), 'month'], [fn('COUNT', col('id')), 'n']],
		group: [month], order: [[month, 'ASC']], raw: true}));
	await Person.findOne().catch(error => same('objects are refused', error.parent.code, '42501'));
	await sequelize.close();
});
