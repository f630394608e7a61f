# SQLAlchemy and pandas: reflection, select with func, .count() of the ORM, bound
# parameters, read_sql with groups as a frame.
from client import ask, done, need, same, say

sqlalchemy = need("sqlalchemy")
need("psycopg2")
orm = need("sqlalchemy.orm")
automap = need("sqlalchemy.ext.automap")
say("version", "SQLAlchemy " + sqlalchemy.__version__)

engine = sqlalchemy.create_engine("postgresql+psycopg2://", future=True)
func, select = sqlalchemy.func, sqlalchemy.select

same("tables", sorted(sqlalchemy.inspect(engine).get_table_names()), ["guests", "people"])
base = automap.automap_base()
base.prepare(autoload_with=engine)
Person = base.classes.people
people = Person.__table__
say("columns", *people.columns.keys())
same("key", people.primary_key.columns.keys(), ["id"])

with orm.Session(engine) as session:
    ask("all", session.scalar(select(func.count()).select_from(Person)))
    ask("all", session.query(Person).count())
    ask("all", session.query(func.count(Person.id)).scalar())
    ask("age", session.scalar(select(func.avg(Person.age)).where(Person.smoker)))
    heavier = session.query(Person).filter(Person.weight > 60.5, Person.city == "Oslo")
    ask("heavier", 60.5, "Oslo", heavier.count())
    ask("cities", dict(session.query(Person.city, func.count()).group_by(Person.city)))
    some = session.query(Person.city, func.count()).where(Person.city.in_(["Oslo", "Lima"]))
    ask("some", "Oslo", "Lima", dict(some.group_by(Person.city)))
    month = func.date_trunc("month", Person.joined).label("month")
    months = session.execute(select(month, func.count()).group_by(month).order_by(month))
    ask("months", {key.date(): count for key, count in months})
    try:
        session.query(Person).first()
    except sqlalchemy.exc.ProgrammingError as error:
        same("objects are refused", error.orig.pgcode, "42501")

try:
    import pandas
except ImportError:
    done()
    raise SystemExit

say("version", "pandas " + pandas.__version__)
with engine.connect() as connection:
    frame = pandas.read_sql(
        select(people.c.city, func.count().label("n")).group_by(people.c.city),
        connection,
        index_col="city",
    )
    ask("cities", frame["n"].to_dict())
    frame = pandas.read_sql_query(
        sqlalchemy.text(
            "SELECT count(*) AS n FROM people WHERE weight > :least AND city = :city"
        ),
        connection,
        params={"least": 71, "city": "Rome"},
    )
    ask("heavier", 71, "Rome", frame.at[0, "n"])
    frame = pandas.read_sql(
        sqlalchemy.text(
            "SELECT date_trunc('month', joined) AS month, count(*) AS n FROM people GROUP BY 1"
        ),
        connection,
        parse_dates=["month"],
    )
    ask("months", {row.month.date(): row.n for row in frame.itertuples()})
done()
