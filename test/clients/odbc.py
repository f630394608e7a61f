# ODBC (psqlodbc by way of pyodbc): SQLColumns, parameters, UseDeclareFetch, and
# prepared statements of the server and of the driver.
import os
import subprocess

from client import ask, done, need, same, say

pyodbc = need("pyodbc")
driver = next((name for name in pyodbc.drivers() if "PostgreSQL Unicode" in name), None)
if driver is None:
    say("skip", "unixODBC has no driver for PostgreSQL")
    raise SystemExit


def connect(**options):
    options.update(
        Driver="{%s}" % driver,
        Servername="127.0.0.1",
        Port=os.environ["PGPORT"],
        Database=os.environ["PGDATABASE"],
        UID=os.environ["PGUSER"],
    )
    return pyodbc.connect(";".join("%s=%s" % item for item in options.items()))


connection = connect()
say("version", "psqlodbc %s, pyodbc %s" % (connection.getinfo(pyodbc.SQL_DRIVER_VER), pyodbc.version))
cursor = connection.cursor()
say("columns", *[column.column_name for column in cursor.columns(table="people", schema="public")])
cursor.execute("SELECT * FROM people WHERE 0 = 1")
same("columns of no rows", cursor.description[5][0], "joined")

for options in ({}, {"UseDeclareFetch": 1, "Fetch": 2}, {"UseServerSidePrepare": 0}):
    connection = connect(**options)
    cursor = connection.cursor()
    ask("all", cursor.execute("SELECT count(*) FROM people").fetchval())
    rows = cursor.execute("SELECT city, count(*) FROM people GROUP BY city").fetchall()
    ask("cities", {city: count for city, count in rows})
    ask("age", cursor.execute("SELECT avg(age) FROM people WHERE smoker").fetchval())
    for least in range(60, 72):
        cursor.execute(
            "SELECT count(*) FROM people WHERE weight > ? AND city = ?", least + 0.5, "Oslo"
        )
        ask("heavier", least + 0.5, "Oslo", cursor.fetchval())
    rows = cursor.execute(
        "SELECT {fn count(*)}, date_trunc('month', joined) FROM people GROUP BY 2"
    ).fetchall()
    ask("months", {month.date(): count for count, month in rows})
    connection.close()
done()
