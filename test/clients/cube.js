// Cube: the SQL that its compiler makes of a data model, through its driver.
process.env.CUBEJS_TESSERACT_SQL_PLANNER = 'false'; // the one in JavaScript
const {say, need, ask, groups, run, same} = require('./lib/client.js');
const {prepareCompiler, PostgresQuery} = need('@cubejs-backend/schema-compiler');
const {PostgresDriver} = need('@cubejs-backend/postgres-driver');

const model = `
cubes:
  - name: people
    sql_table: people
    measures:
      - {name: count, type: count}
      - {name: ids, type: count_distinct, sql: id}
      - {name: age, type: avg, sql: age}
      - {name: ages, type: sum, sql: age}
      - {name: smokers, type: count, filters: [{sql: "{CUBE}.smoker"}]}
      - {name: smoking, type: number, sql: "1.0 * {smokers} / {count}"}
    dimensions:
      - {name: id, type: number, sql: id, primary_key: true}
      - {name: city, type: string, sql: city}
      - {name: smoker, type: boolean, sql: smoker}
      - {name: weight, type: number, sql: weight}
      - {name: joined, type: time, sql: joined}
    segments:
      - {name: smokers_alone, sql: "{CUBE}.smoker"}
`;

run(async () => {
	const {env} = process;
	const driver = new PostgresDriver({host: env.PGHOST, port: +env.PGPORT, user: env.PGUSER, database: env.PGDATABASE, dataSource: 'default'});
	const files = {localPath: () => __dirname, dataSchemaFiles: async () => [{fileName: 'people.yml', content: model}]};
	// its templates alone need a binary that is not on every machine
	const nativeInstance = {newJinjaEngine: () => null};
	const compiled = prepareCompiler(files, {adapter: 'postgres', nativeInstance});
	const rows = query => driver.query(...new PostgresQuery(compiled, {timezone: 'UTC', ...query}).buildSqlAndParams());
	const one = async query => Object.values((await rows(query))[0])[0];
	const measures = ['people.count'];
	const heavier = least => [{member: 'people.weight', operator: 'gt', values: [String(least)]},
		{member: 'people.city', operator: 'equals', values: ['Oslo']}];

	say('version', 'Cube ' + require('@cubejs-backend/schema-compiler/package.json').version);
	await compiled.compiler.compile();
	await driver.testConnection();
	// tablesSchema() asks information_schema, which hides what one has no privilege on
	same('people in tablesSchema()', 'people' in (await driver.tablesSchema()).public, false);
	const none = await driver.downloadQueryResults('SELECT * FROM people LIMIT 0', [], {});
	say('columns', ...none.types.map(column => column.name));
	same('types', none.types.map(column => column.type).join(), 'int,text,boolean,int,double,timestamp');

	ask('all', await one({measures}));
	ask('all', await one({measures: ['people.ids']}));
	ask('age', await one({measures: ['people.age'], segments: ['people.smokers_alone']}));
	ask('age', await one({measures: ['people.age'], filters: [{member: 'people.smoker', operator: 'equals', values: ['true']}]}));
	groups('cities', await rows({measures, dimensions: ['people.city'], order: [{id: 'people.count', desc: true}]}));
	groups('some\tOslo\tRome', await rows({measures, dimensions: ['people.city'],
		filters: [{member: 'people.city', operator: 'contains', values: ['o']}]}));
	ask('heavier', 60.5, 'Oslo', await one({measures, filters: heavier(60.5)}));
	groups('months', (await rows({measures, timeDimensions: [{dimension: 'people.joined', granularity: 'month'}]}))
		.map(row => Object.values(row)).map(([month, count]) => [month.substring(0, 10), count]));
	await rows({dimensions: ['people.id'], ungrouped: true}).catch(error => same('rows are refused', error.code, '42501'));
	await driver.release();
});
