# psycopg2: parameters written into the text by the client, named cursors, COPY
# of a query, prepared statements by hand, execute_values' long statements.
import io

from client import ask, done, need, same, say

psycopg2 = need("psycopg2")
say("version", "psycopg2 " + psycopg2.__version__)

connection = psycopg2.connect("")
cursor = connection.cursor()
cursor.execute("SELECT * FROM people LIMIT 0")
say("columns", *[column.name for column in cursor.description])

cursor.execute("SELECT count(*) FROM people")
ask("all", cursor.fetchone()[0])
cursor.execute("SELECT city, count(*) FROM people GROUP BY city")
ask("cities", dict(cursor.fetchall()))
cursor.execute("SELECT avg(age) FROM people WHERE smoker")
ask("age", cursor.fetchone()[0])
cursor.execute(
    "SELECT count(*) FROM people WHERE weight > %(least)s AND city = %(city)s",
    {"least": 60.5, "city": "Oslo"},
)
ask("heavier", 60.5, "Oslo", cursor.fetchone()[0])
cursor.execute(
    "SELECT date_trunc('month', joined), count(*) FROM people GROUP BY 1 ORDER BY 1"
)
ask("months", {month.date(): count for month, count in cursor})
connection.commit()

with connection, connection.cursor("named") as named:
    named.itersize = 2
    named.execute("SELECT city, count(*) FROM people GROUP BY city")
    ask("cities", dict(named))

text = io.StringIO()
cursor.copy_expert(
    "COPY (SELECT city, count(*) FROM people GROUP BY city) TO STDOUT", text
)
ask("cities", dict(line.split("\t") for line in text.getvalue().splitlines()))

cursor.execute(
    "PREPARE heavier AS SELECT count(*) FROM people WHERE weight > $1 AND city = $2"
)
for _ in range(7):
    cursor.execute("EXECUTE heavier(%s, %s)", (71, "Rome"))
    ask("heavier", 71, "Rome", cursor.fetchone()[0])
connection.commit()

try:
    cursor.execute("SELECT * FROM people")
except psycopg2.errors.InsufficientPrivilege as error:
    same("rows are refused with a hint", "SELECT count(*)" in error.diag.message_hint, True)
done()
