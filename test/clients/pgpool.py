# Pgpool-II over two nodes, which are the same server here: what it asks of the
# catalogue for its relation cache, where it sends what, SET on all nodes, and
# statements prepared by name.
from client import ask, done, find_pooler, need, run_pooler, same, say, version_of

program = find_pooler("pgpool")
psycopg = need("psycopg")

CONFIGURATION = """
backend_clustering_mode = 'streaming_replication'
listen_addresses = ''
port = 6433
socket_dir = '{directory}'
pcp_listen_addresses = ''
pcp_socket_dir = '{directory}'
pid_file_name = '{directory}/pid'
logdir = '{directory}'
num_init_children = 2
sr_check_period = 0
sr_check_user = '{user}'
sr_check_database = '{database}'
load_balance_mode = on
app_name_redirect_preference_list = 'questions:primary'
disable_load_balance_on_write = 'off'
check_temp_table = catalog
check_unlogged_table = on
enable_shared_relcache = on
backend_hostname0 = '{host}'
backend_port0 = {port}
backend_weight0 = 0
backend_flag0 = 'ALWAYS_PRIMARY'
backend_hostname1 = '{host}'
backend_port1 = {port}
backend_weight1 = 1
"""


def selects(connection):
    """How many SELECTs each node has had."""
    cursor = connection.execute("SHOW POOL_NODES", prepare=False)
    column = [c.name for c in cursor.description].index("select_cnt")
    return [int(row[column]) for row in cursor]


def sent(connection, query):
    """The answer, and the node that it came from."""
    before = selects(connection)
    answer = connection.execute(query).fetchone()[0]
    return answer, [b - a for a, b in zip(before, selects(connection))].index(1)


def question(directory):
    connection = psycopg.connect(host=directory, port=6433, autocommit=True)
    cursor = connection.execute("SELECT * FROM people LIMIT 0")
    say("columns", *[column.name for column in cursor.description])

    # aggregates never count as functions that write: they may go to any node
    for query in ("SELECT count(*) FROM people", "SELECT dp_count(*) FROM people"):
        answer, node = sent(connection, query)
        ask("all", answer)
        same("the node of " + query, node, 1)

    ask("age", connection.execute("SELECT avg(age) FROM people WHERE smoker").fetchone()[0])
    ask("cities", dict(connection.execute("SELECT city, count(*) FROM people GROUP BY city")))
    heavier = "SELECT count(*) FROM people WHERE weight > %s AND city = %s"
    for least in range(60, 72):
        cursor = connection.execute(heavier, (least, "Oslo"), prepare=True)
        ask("heavier", least, "Oslo", cursor.fetchone()[0])
    cursor = connection.execute("SELECT date_trunc('month', joined), count(*) FROM people GROUP BY 1")
    ask("months", {month.date(): count for month, count in cursor})

    # a setting is that of all nodes, and not the next client's
    connection.execute("SET dp_noise.epsilon = 50")
    say("epsilon", 50)
    for comment in ("", "/*NO LOAD BALANCE*/ "):
        answer, node = sent(connection, comment + "SELECT count(*) FROM people")
        ask("all", answer)
        same("the node of a count " + comment, node, int(comment == ""))
    connection.close()
    say("epsilon", 100)

    # sessions of this name ask the primary server alone
    connection = psycopg.connect(
        host=directory, port=6433, autocommit=True, application_name="questions"
    )
    same("a setting after SET", connection.execute("SHOW dp_noise.epsilon").fetchone()[0], "100")
    answer, node = sent(connection, "SELECT count(*) FROM people")
    ask("all", answer)
    same("the node of a redirected count", node, 0)
    connection.close()


command = [program, "-n", "-f", "{directory}/conf", "-F", "/dev/null", "-a", "/dev/null"]
with run_pooler(command, CONFIGURATION, 6433) as directory:
    say("version", version_of(program, "--version"))
    question(directory)
done()
