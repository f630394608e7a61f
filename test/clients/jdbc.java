/*
 * JDBC: DatabaseMetaData, a statement prepared and run until it is the server's
 * and its plan generic, setDouble, binary transfer, rows fetched some at a time.
 */
import java.sql.*;
import java.util.*;

class Jdbc
{
	static void say(Object... fields)
	{
		StringJoiner line = new StringJoiner("\t");

		for (Object field : fields)
			line.add(String.valueOf(field));
		System.out.println(line);
	}

	/** Keys and values as one line. */
	static void groups(String question, ResultSet rows) throws SQLException
	{
		StringJoiner line = new StringJoiner("\t");

		line.add(question);
		while (rows.next())
		{
			String key = rows.getString(1);

			line.add(key.substring(0, Math.min(10, key.length())) + "=" + rows.getLong(2));
		}
		System.out.println(line);
	}

	static Object value(Statement statement, String query) throws SQLException
	{
		try (ResultSet rows = statement.executeQuery(query))
		{
			rows.next();
			return rows.getObject(1);
		}
	}

	static Connection connect(String options) throws SQLException
	{
		Properties properties = new Properties();

		properties.setProperty("user", System.getenv("PGUSER"));
		return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:"
			+ System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE") + options, properties);
	}

	/** One prepared statement, many times, with other parameters each time. */
	static void heavier(Connection connection) throws SQLException
	{
		try (PreparedStatement heavier = connection.prepareStatement(
			"SELECT count(*) FROM people WHERE weight > ? AND city = ?"))
		{
			for (int i = 0; i < 15; i++)
			{
				double least = 60.5 + i;
				String city = i % 2 == 0 ? "Oslo" : "Rome";

				heavier.setDouble(1, least);
				heavier.setString(2, city);
				try (ResultSet rows = heavier.executeQuery())
				{
					rows.next();
					say("heavier", least, city, rows.getLong(1));
				}
			}
		}
	}

	public static void main(String[] arguments) throws SQLException
	{
		if (DriverManager.drivers().count() == 0)
		{
			say("skip", "there is no JDBC driver");
			return;
		}
		try (Connection connection = connect(""); Statement statement = connection.createStatement())
		{
			DatabaseMetaData meta = connection.getMetaData();

			say("version", meta.getDriverName() + " " + meta.getDriverVersion());
			StringJoiner columns = new StringJoiner("\t");
			try (ResultSet rows = meta.getColumns(null, "public", "people", null))
			{
				while (rows.next())
					columns.add(rows.getString("COLUMN_NAME"));
			}
			say("columns", columns);
			try (PreparedStatement question = connection.prepareStatement(
				"SELECT city, count(*), avg(age) FROM people GROUP BY city"))
			{
				ResultSetMetaData described = question.getMetaData();

				say("same", "described without being run", described.getColumnTypeName(1) + " "
					+ described.getColumnTypeName(2) + " " + described.getColumnTypeName(3), "text int8 numeric");
			}

			say("all", value(statement, "SELECT count(*) FROM people"));
			groups("cities", statement.executeQuery("SELECT city, count(*) FROM people GROUP BY city"));
			say("age", value(statement, "SELECT avg(age) FROM people WHERE smoker"));
			heavier(connection);
			groups("months", statement.executeQuery(
				"SELECT date_trunc('month', joined), count(*) FROM people GROUP BY 1"));
			try
			{
				statement.executeQuery("SELECT * FROM people");
			}
			catch (SQLException error)
			{
				say("same", "rows are refused", error.getSQLState(), "42501");
			}

			connection.setAutoCommit(false);
			statement.setFetchSize(2);
			groups("cities", statement.executeQuery("SELECT city, count(*) FROM people GROUP BY city"));
			connection.commit();
		}
		for (String mode : new String[] {"simple", "extended", "extendedForPrepared", "extendedCacheEverything"})
		{
			try (Connection connection = connect("?prepareThreshold=-1&binaryTransfer=true&preferQueryMode=" + mode))
			{
				heavier(connection);
			}
		}
		say("done");
	}
}
