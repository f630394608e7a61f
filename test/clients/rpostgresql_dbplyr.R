# R: RPostgreSQL, and dplyr verbs that dbplyr writes as SQL.
say <- function(...) cat(paste0(paste(..., sep = "\t"), "\n"))
groups <- function(question, keys, values)
	do.call(say, as.list(c(question, paste0(keys, "=", values))))

packages <- c("RPostgreSQL", "dbplyr", "dplyr")
missing <- packages[!vapply(packages, requireNamespace, NA, quietly = TRUE)]
if (length(missing) > 0) {
	say("skip", paste("R has no", paste(missing, collapse = ", ")))
	quit()
}
suppressPackageStartupMessages({
	library(RPostgreSQL)
	library(dplyr)
})
say("version", paste(packages, vapply(packages, function(p) as.character(packageVersion(p)), ""), collapse = ", "))

connection <- dbConnect(PostgreSQL(), host = Sys.getenv("PGHOST"), port = Sys.getenv("PGPORT"),
	user = Sys.getenv("PGUSER"), dbname = Sys.getenv("PGDATABASE"))
do.call(say, as.list(c("columns", dbListFields(connection, "people"))))

say("all", dbGetQuery(connection, "SELECT count(*) FROM people")[[1]])
say("age", dbGetQuery(connection, "SELECT avg(age) FROM people WHERE smoker")[[1]])
say("heavier", 60.5, "Oslo", dbGetQuery(connection,
	"SELECT count(*) FROM people WHERE weight > $1 AND city = $2", c("60.5", "Oslo"))[[1]])

people <- tbl(connection, "people")
do.call(say, as.list(c("columns", colnames(people))))
say("all", people |> count() |> pull(n))
say("all", people |> summarise(n = n()) |> pull(n))
answer <- people |> group_by(city) |> summarise(n = n()) |> arrange(city) |> collect()
groups("cities", answer$city, answer$n)
say("age", people |> filter(smoker) |> summarise(a = mean(age, na.rm = TRUE)) |> pull(a))
say("heavier", 71, "Rome", people |> filter(weight > 71, city == "Rome") |> tally() |> pull(n))
answer <- people |> mutate(month = date_trunc("month", joined)) |> count(month) |> collect()
groups("months", format(answer$month, "%Y-%m-%d"), answer$n)
answer <- people |> mutate(month = floor_date(joined, "month")) |> group_by(month) |> summarise(n = n()) |> collect()
groups("months", format(answer$month, "%Y-%m-%d"), answer$n)
invisible(dbDisconnect(connection))
say("done")
