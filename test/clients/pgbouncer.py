# PgBouncer in transaction mode, one connection to the server for all: what a
# client SETs must not be the next one's. Outside of session mode PgBouncer resets
# connections only where it is told to (server_reset_query_always), and settings of
# roles stay in force.
from client import ask, done, find_pooler, need, run_pooler, same, say, version_of

program = find_pooler("pgbouncer")
psycopg2 = need("psycopg2")

CONFIGURATION = """
[databases]
* = host={host} port={port} user={user} pool_size=1
[pgbouncer]
pool_mode = transaction
listen_addr =
listen_port = 6432
unix_socket_dir = {directory}
auth_type = any
server_reset_query = RESET ALL
server_reset_query_always = 1
"""


def first(connection, *statement):
    cursor = connection.cursor()
    cursor.execute(*statement)
    return cursor.fetchone()[0]


def question(directory):
    one, other = [psycopg2.connect(host=directory, port=6432) for _ in range(2)]
    for connection in (one, other):
        connection.autocommit = True
    same(
        "one connection for both",
        first(one, "SELECT pg_backend_pid()"),
        first(other, "SELECT pg_backend_pid()"),
    )

    cursor = other.cursor()
    cursor.execute("SELECT * FROM people LIMIT 0")
    say("columns", *[column.name for column in cursor.description])
    ask("all", first(one, "SELECT count(*) FROM people"))
    one.cursor().execute("SET dp_noise.epsilon = 7")
    same("a setting after SET", first(other, "SHOW dp_noise.epsilon"), "100")
    ask("all", first(other, "SELECT count(*) FROM people"))
    ask("age", first(other, "SELECT avg(age) FROM people WHERE smoker"))
    heavier = "SELECT count(*) FROM people WHERE weight > %s AND city = %s"
    ask("heavier", 60.5, "Oslo", first(other, heavier, (60.5, "Oslo")))
    cursor.execute("SELECT city, count(*) FROM people GROUP BY city")
    ask("cities", dict(cursor.fetchall()))
    cursor.execute("SELECT date_trunc('month', joined), count(*) FROM people GROUP BY 1")
    ask("months", {month.date(): count for month, count in cursor})

    # within a transaction the connection is one's own
    one.autocommit = False
    one.cursor().execute("SET LOCAL dp_noise.epsilon = 50")
    say("epsilon", 50)
    ask("all", first(one, "SELECT count(*) FROM people"))
    one.commit()
    say("epsilon", 100)
    ask("all", first(other, "SELECT count(*) FROM people"))
    one.close()
    other.close()


with run_pooler([program, "-q", "{directory}/conf"], CONFIGURATION, 6432) as directory:
    say("version", version_of(program, "-V"))
    question(directory)
done()
