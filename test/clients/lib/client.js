// What the clients of node share: their lines to lib/check.

function say(...fields) {
	process.stdout.write(fields.join('\t') + '\n');
}

/** The module, unless it is not there: then nothing is asked. */
function need(name) {
	try {
		return require(name);
	} catch (error) {
		if (error.code !== 'MODULE_NOT_FOUND')
			throw error;
		say('skip', `there is no module ${name} for node`);
		process.exit();
	}
}

function key(value) {
	return value instanceof Date ? value.toISOString().substring(0, 10) : value;
}

/** Asked with these parameters, and the answer. */
function ask(question, ...fields) {
	say(question, ...fields);
}

/** Rows of keys and values, whatever their names are. */
function groups(question, rows) {
	say(question, ...rows.map(row => Object.values(row)).map(([k, v]) => `${key(k)}=${v}`));
}

/** Runs it, and ends with an error if it fails; connections that it left open are closed. */
function run(client) {
	client().then(() => {
		say('done');
		process.exit();
	}).catch(error => {
		console.error(error);
		process.exit(1);
	});
}

function same(what, got, expected) {
	say('same', what, got, expected);
}

module.exports = {say, need, ask, groups, run, same};
