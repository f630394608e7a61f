# psycopg 3: parameters of the server, statements prepared by the driver after
# five runs and generic plans after another five, binary results, named cursors,
# pipelines, COPY in text and binary.
from client import ask, done, need, same, say

psycopg = need("psycopg")
say("version", "psycopg " + psycopg.__version__)

connection = psycopg.connect("", autocommit=True)
cursor = connection.execute("SELECT * FROM people LIMIT 0")
say("columns", *[column.name for column in cursor.description])
same("types", [column.type_code for column in cursor.description], [23, 25, 16, 23, 701, 1114])

ask("all", connection.execute("SELECT count(*) FROM people").fetchone()[0])
query = "SELECT city, count(*) FROM people GROUP BY city"
ask("cities", dict(connection.execute(query)))
ask("cities", dict(connection.execute(query, binary=True)))
query = "SELECT avg(age) FROM people WHERE smoker"
ask("age", connection.execute(query).fetchone()[0])
ask("age", connection.execute(query, binary=True).fetchone()[0])

heavier = "SELECT count(*) FROM people WHERE weight > %s AND city = %s"
for least in range(60, 75):
    cursor = connection.execute(heavier, (least, "Oslo"), binary=least % 2 == 0)
    ask("heavier", least, "Oslo", cursor.fetchone()[0])
cursor = connection.execute(heavier, (60.5, "Rome"), prepare=True)
ask("heavier", 60.5, "Rome", cursor.fetchone()[0])

cursor = connection.execute(
    "SELECT date_trunc(%s, joined) AS month, count(*) FROM people GROUP BY month", ["month"]
)
ask("months", {month.date(): count for month, count in cursor})

for binary in (False, True):
    with connection.transaction(), connection.cursor("named", binary=binary) as named:
        named.itersize = 2
        named.execute("SELECT city, count(*) FROM people GROUP BY city")
        ask("cities", dict(named))

with connection.pipeline():
    first = connection.execute("SELECT count(*) FROM people")
    second = connection.execute(heavier, (60.5, "Lima"))
    third = connection.execute("SELECT count(*) FROM people")
    ask("all", first.fetchone()[0])
    ask("heavier", 60.5, "Lima", second.fetchone()[0])
    ask("all", third.fetchone()[0])

with connection.cursor() as cursor:
    with cursor.copy(
        "COPY (SELECT city, count(*) FROM people WHERE weight > %s GROUP BY city) TO STDOUT", (-1,)
    ) as copy:
        copy.set_types(["text", "int8"])
        ask("cities", dict(copy.rows()))
    with cursor.copy(
        "COPY (SELECT city, count(*) FROM people GROUP BY city) TO STDOUT (FORMAT binary)"
    ) as copy:
        copy.set_types(["text", "int8"])
        ask("cities", dict(copy.rows()))
done()
