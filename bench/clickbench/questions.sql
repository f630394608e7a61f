-- ClickBench's questions, in our words and with constants of our data. Makes
-- the table clickbench.questions:
--
--   number    as in ClickBench, from 1
--   form      as it is; changed: how; rows: asks for rows, not for aggregates
--   public    how the keys are known: declared, computed, private
--   keys      how many columns come before the answers
--   c, m      hits of a person in a group, groups of a person
--   private   with private aggregates
--   sql       as any tool writes it, with the server's own aggregates; read as
--             private ones where the analyst asks. Also what is compared with
--   tail      which of the answers are shown: behind either
--
-- Sums and means have bounds: those that the owner declared, or of LEAST in sql.

CREATE TABLE clickbench.questions (number integer PRIMARY KEY, about text, form text, public text, keys integer, c integer, m integer, private text, sql text, tail text);
GRANT SELECT ON clickbench.questions TO PUBLIC;
INSERT INTO clickbench.questions VALUES
(1, 'hits', 'as it is', 'none', 0, 20, 1,
$$SELECT dp_count(*) FROM hits$$,
$$SELECT count(*) FROM hits$$, ''),

(2, 'hits that an advertisement led to', 'as it is', 'none', 0, 5, 1,
$$SELECT dp_count(*) FROM hits WHERE advengineid <> 0$$,
$$SELECT count(*) FROM hits WHERE advengineid <> 0$$, ''),

(3, 'a sum, a count and a mean', 'as it is', 'none', 0, 20, 1,
$$SELECT dp_sum(advengineid, 0, 18), dp_count(*), dp_mean(resolutionwidth, 0, 2000) FROM hits$$,
$$SELECT sum(advengineid), count(*), avg(resolutionwidth) FROM hits$$, ''),

(4, 'the mean of the numbers that users have', 'as it is', 'none', 0, 20, 1,
$$SELECT dp_mean(userid, 0, 1099511627775) FROM hits$$,
$$SELECT avg(userid) FROM hits$$, ''),

(5, 'people', 'as it is', 'none', 0, 1, 1,
$$SELECT dp_count_distinct(userid) FROM hits$$,
$$SELECT count(DISTINCT userid) FROM hits$$, ''),

(6, 'different phrases', 'as it is', 'none', 0, 5, 1,
$$SELECT dp_count_distinct(searchphrase) FROM hits$$,
$$SELECT count(DISTINCT searchphrase) FROM hits$$, ''),

(7, 'the first and the last day', 'as it is', 'none', 0, 1, 1,
$$SELECT dp_min(eventdate), dp_max(eventdate) FROM hits$$,
$$SELECT min(eventdate), max(eventdate) FROM hits$$, ''),

(8, 'hits by advertising engine', 'as it is', 'declared', 1, 3, 3,
$$SELECT advengineid, dp_count(*) AS n FROM hits WHERE advengineid <> 0 GROUP BY advengineid$$,
$$SELECT advengineid, count(*) AS n FROM hits WHERE advengineid <> 0 GROUP BY advengineid$$, 'ORDER BY n DESC'),

(9, 'people by region', 'as it is', 'declared', 1, 1, 1,
$$SELECT regionid, dp_count_distinct(userid) AS n FROM hits GROUP BY regionid$$,
$$SELECT regionid, count(DISTINCT userid) AS n FROM hits GROUP BY regionid$$, 'ORDER BY n DESC LIMIT 10'),

(10, 'several answers by region', 'as it is', 'declared', 1, 20, 1,
$$SELECT regionid, dp_sum(advengineid, 0, 18), dp_count(*) AS n, dp_mean(resolutionwidth, 0, 2000), dp_count_distinct(userid) FROM hits GROUP BY regionid$$,
$$SELECT regionid, sum(advengineid), count(*) AS n, avg(resolutionwidth), count(DISTINCT userid) FROM hits GROUP BY regionid$$, 'ORDER BY n DESC LIMIT 10'),

(11, 'people by model of phone', 'as it is', 'private', 1, 1, 1,
$$SELECT mobilephonemodel, dp_count_distinct(userid) AS n FROM hits WHERE mobilephonemodel <> '' GROUP BY mobilephonemodel$$,
$$SELECT mobilephonemodel, count(DISTINCT userid) AS n FROM hits WHERE mobilephonemodel <> '' GROUP BY mobilephonemodel$$, 'ORDER BY n DESC LIMIT 10'),

(12, 'people by maker and model', 'as it is', 'declared, private', 2, 1, 1,
$$SELECT mobilephone, mobilephonemodel, dp_count_distinct(userid) AS n FROM hits WHERE mobilephonemodel <> '' GROUP BY mobilephone, mobilephonemodel$$,
$$SELECT mobilephone, mobilephonemodel, count(DISTINCT userid) AS n FROM hits WHERE mobilephonemodel <> '' GROUP BY mobilephone, mobilephonemodel$$, 'ORDER BY n DESC LIMIT 10'),

(13, 'searches by phrase', 'as it is', 'private', 1, 2, 3,
$$SELECT searchphrase, dp_count(*) AS n FROM hits WHERE searchphrase <> '' GROUP BY searchphrase$$,
$$SELECT searchphrase, count(*) AS n FROM hits WHERE searchphrase <> '' GROUP BY searchphrase$$, 'ORDER BY n DESC LIMIT 10'),

(14, 'people by phrase', 'as it is', 'private', 1, 1, 3,
$$SELECT searchphrase, dp_count_distinct(userid) AS n FROM hits WHERE searchphrase <> '' GROUP BY searchphrase$$,
$$SELECT searchphrase, count(DISTINCT userid) AS n FROM hits WHERE searchphrase <> '' GROUP BY searchphrase$$, 'ORDER BY n DESC LIMIT 10'),

(15, 'searches by engine and phrase', 'as it is', 'declared, private', 2, 2, 3,
$$SELECT searchengineid, searchphrase, dp_count(*) AS n FROM hits WHERE searchphrase <> '' GROUP BY searchengineid, searchphrase$$,
$$SELECT searchengineid, searchphrase, count(*) AS n FROM hits WHERE searchphrase <> '' GROUP BY searchengineid, searchphrase$$, 'ORDER BY n DESC LIMIT 10'),

(16, 'who has most hits', 'changed: how many people have how many, not who', 'private', 1, 1, 1,
$$SELECT hits, dp_count(*) AS n FROM (SELECT userid, count(*) AS hits FROM hits GROUP BY userid) AS u GROUP BY hits$$,
$$SELECT hits, count(*) AS n FROM (SELECT userid, count(*) AS hits FROM hits GROUP BY userid) AS u GROUP BY hits$$, 'ORDER BY n DESC LIMIT 10'),

(17, 'who looks for what most often', 'changed: how often the same person looks for the same, not who', 'private', 1, 5, 2,
$$SELECT times, dp_count(*) AS n FROM (SELECT userid, searchphrase, count(*) AS times FROM hits GROUP BY userid, searchphrase) AS u GROUP BY times$$,
$$SELECT times, count(*) AS n FROM (SELECT userid, searchphrase, count(*) AS times FROM hits GROUP BY userid, searchphrase) AS u GROUP BY times$$, 'ORDER BY n DESC LIMIT 10'),

(18, 'hits by person and phrase, any ten', 'changed: phrases by how many people have them, any ten', 'private', 1, 1, 3,
$$SELECT searchphrase, dp_count(*) AS n FROM (SELECT userid, searchphrase FROM hits GROUP BY userid, searchphrase) AS u GROUP BY searchphrase$$,
$$SELECT searchphrase, count(*) AS n FROM (SELECT userid, searchphrase FROM hits GROUP BY userid, searchphrase) AS u GROUP BY searchphrase$$, 'LIMIT 10'),

(19, 'hits by person, minute and phrase', 'changed: by minute and phrase', 'computed, private', 2, 1, 20,
$$SELECT extract(minute FROM eventtime) AS minute, searchphrase, dp_count(*) AS n FROM hits GROUP BY minute, searchphrase$$,
$$SELECT extract(minute FROM eventtime) AS minute, searchphrase, count(*) AS n FROM hits GROUP BY minute, searchphrase$$, 'ORDER BY n DESC LIMIT 10'),

(20, 'one person''s hits', 'rows', NULL, NULL, NULL, NULL, NULL, NULL, NULL),

(21, 'hits of pages by a word', 'as it is', 'none', 0, 5, 1,
$$SELECT dp_count(*) FROM hits WHERE url LIKE '%mapshop%'$$,
$$SELECT count(*) FROM hits WHERE url LIKE '%mapshop%'$$, ''),

(22, 'phrases that led to such pages', 'changed: the length of the shortest address, not the first by alphabet', 'private', 1, 2, 3,
$$SELECT searchphrase, dp_min(length(url), 0, 100), dp_count(*) AS n FROM hits WHERE url LIKE '%mapshop%' AND searchphrase <> '' GROUP BY searchphrase$$,
$$SELECT searchphrase, min(least(length(url), 100)), count(*) AS n FROM hits WHERE url LIKE '%mapshop%' AND searchphrase <> '' GROUP BY searchphrase$$, 'ORDER BY n DESC LIMIT 10'),

(23, 'the same by title, and people', 'changed: likewise', 'private', 1, 2, 3,
$$SELECT searchphrase, dp_min(length(url), 0, 100), dp_min(length(title), 0, 100), dp_count(*) AS n, dp_count_distinct(userid) FROM hits
WHERE title LIKE '%Mapshop%' AND url NOT LIKE '%.mapshop.%' AND searchphrase <> '' GROUP BY searchphrase$$,
$$SELECT searchphrase, min(least(length(url), 100)), min(least(length(title), 100)), count(*) AS n, count(DISTINCT userid) FROM hits
WHERE title LIKE '%Mapshop%' AND url NOT LIKE '%.mapshop.%' AND searchphrase <> '' GROUP BY searchphrase$$, 'ORDER BY n DESC LIMIT 10'),

(24, 'hits of such pages', 'rows', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
(25, 'phrases by time', 'rows', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
(26, 'phrases by alphabet', 'rows', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
(27, 'phrases by time and alphabet', 'rows', NULL, NULL, NULL, NULL, NULL, NULL, NULL),

(28, 'counters with long addresses', 'as it is', 'private', 1, 5, 10,
$$SELECT counterid, dp_mean(length(url), 0, 100) AS l, dp_count(*) AS n FROM hits WHERE url <> '' GROUP BY counterid HAVING dp_count(*) > 1000$$,
$$SELECT counterid, avg(least(length(url), 100)) AS l, count(*) AS n FROM hits WHERE url <> '' GROUP BY counterid HAVING count(*) > 1000$$, 'ORDER BY l DESC LIMIT 25'),

(29, 'sites that link here, out of addresses', 'changed: the length of the shortest address, not the first by alphabet', 'private', 1, 2, 5,
$$SELECT regexp_replace(referer, '^[a-z]+://(?:www\.)?([^/]+)/.*$', '\1') AS site, dp_mean(length(referer), 0, 100) AS l, dp_count(*) AS n, dp_min(length(referer), 0, 100) FROM hits WHERE referer <> '' GROUP BY site HAVING dp_count(*) > 1000$$,
$$SELECT regexp_replace(referer, '^[a-z]+://(?:www\.)?([^/]+)/.*$', '\1') AS site, avg(least(length(referer), 100)) AS l, count(*) AS n, min(least(length(referer), 100)) FROM hits WHERE referer <> '' GROUP BY site HAVING count(*) > 1000$$, 'ORDER BY l DESC LIMIT 25'),

(30, 'ninety sums', 'as it is', 'none', 0, 20, 1,
(SELECT 'SELECT ' || string_agg(format('dp_sum(resolutionwidth + %s, 0, 2100)', i), ', ' ORDER BY i) || ' FROM hits' FROM generate_series(0, 89) AS i),
(SELECT 'SELECT ' || string_agg(format('sum(resolutionwidth + %s)', i), ', ' ORDER BY i) || ' FROM hits' FROM generate_series(0, 89) AS i), ''),

(31, 'searches by engine and address', 'as it is', 'declared, private', 2, 5, 2,
$$SELECT searchengineid, clientip, dp_count(*) AS n, dp_sum(isrefresh, 0, 1), dp_mean(resolutionwidth, 0, 2000) FROM hits WHERE searchphrase <> '' GROUP BY searchengineid, clientip$$,
$$SELECT searchengineid, clientip, count(*) AS n, sum(isrefresh), avg(resolutionwidth) FROM hits WHERE searchphrase <> '' GROUP BY searchengineid, clientip$$, 'ORDER BY n DESC LIMIT 10'),

(32, 'searches one by one', 'changed: by network, not by hit', 'private', 1, 5, 1,
$$SELECT clientip >> 8 AS network, dp_count(*) AS n, dp_sum(isrefresh, 0, 1), dp_mean(resolutionwidth, 0, 2000) FROM hits WHERE searchphrase <> '' GROUP BY network$$,
$$SELECT clientip >> 8 AS network, count(*) AS n, sum(isrefresh), avg(resolutionwidth) FROM hits WHERE searchphrase <> '' GROUP BY network$$, 'ORDER BY n DESC LIMIT 10'),

(33, 'hits one by one', 'changed: by network, not by hit', 'private', 1, 10, 1,
$$SELECT clientip >> 8 AS network, dp_count(*) AS n, dp_sum(isrefresh, 0, 1), dp_mean(resolutionwidth, 0, 2000) FROM hits GROUP BY network$$,
$$SELECT clientip >> 8 AS network, count(*) AS n, sum(isrefresh), avg(resolutionwidth) FROM hits GROUP BY network$$, 'ORDER BY n DESC LIMIT 10'),

(34, 'hits by page', 'as it is', 'private', 1, 2, 15,
$$SELECT url, dp_count(*) AS n FROM hits GROUP BY url$$,
$$SELECT url, count(*) AS n FROM hits GROUP BY url$$, 'ORDER BY n DESC LIMIT 10'),

(35, 'the same with a constant', 'as it is', 'private', 2, 2, 15,
$$SELECT 1 AS one, url, dp_count(*) AS n FROM hits GROUP BY one, url$$,
$$SELECT 1 AS one, url, count(*) AS n FROM hits GROUP BY one, url$$, 'ORDER BY n DESC LIMIT 10'),

(36, 'hits by address and what is computed from it', 'as it is', 'private', 4, 10, 1,
$$SELECT clientip, clientip - 1 AS b, clientip - 2 AS c, clientip - 3 AS d, dp_count(*) AS n FROM hits GROUP BY clientip, b, c, d$$,
$$SELECT clientip, clientip - 1 AS b, clientip - 2 AS c, clientip - 3 AS d, count(*) AS n FROM hits GROUP BY clientip, b, c, d$$, 'ORDER BY n DESC LIMIT 10'),

(37, 'pages of a counter in a month', 'as it is', 'private', 1, 2, 5,
$$SELECT url, dp_count(*) AS n FROM hits WHERE counterid = 1 AND eventdate >= '2013-07-01' AND eventdate <= '2013-07-31' AND dontcounthits = 0 AND isrefresh = 0 AND url <> '' GROUP BY url$$,
$$SELECT url, count(*) AS n FROM hits WHERE counterid = 1 AND eventdate >= '2013-07-01' AND eventdate <= '2013-07-31' AND dontcounthits = 0 AND isrefresh = 0 AND url <> '' GROUP BY url$$, 'ORDER BY n DESC LIMIT 10'),

(38, 'the same by title', 'as it is', 'private', 1, 2, 5,
$$SELECT title, dp_count(*) AS n FROM hits WHERE counterid = 1 AND eventdate >= '2013-07-01' AND eventdate <= '2013-07-31' AND dontcounthits = 0 AND isrefresh = 0 AND title <> '' GROUP BY title$$,
$$SELECT title, count(*) AS n FROM hits WHERE counterid = 1 AND eventdate >= '2013-07-01' AND eventdate <= '2013-07-31' AND dontcounthits = 0 AND isrefresh = 0 AND title <> '' GROUP BY title$$, 'ORDER BY n DESC LIMIT 10'),

(39, 'links that were followed', 'as it is', 'private', 1, 1, 3,
$$SELECT url, dp_count(*) AS n FROM hits WHERE counterid = 1 AND eventdate >= '2013-07-01' AND eventdate <= '2013-07-31' AND isrefresh = 0 AND islink <> 0 AND isdownload = 0 GROUP BY url$$,
$$SELECT url, count(*) AS n FROM hits WHERE counterid = 1 AND eventdate >= '2013-07-01' AND eventdate <= '2013-07-31' AND isrefresh = 0 AND islink <> 0 AND isdownload = 0 GROUP BY url$$, 'ORDER BY n DESC LIMIT 10 OFFSET 10'),

(40, 'from where to where', 'as it is', 'declared, private', 5, 1, 5,
$$SELECT traficsourceid, searchengineid, advengineid, CASE WHEN searchengineid = 0 AND advengineid = 0 THEN referer ELSE '' END AS source, url AS target, dp_count(*) AS n
FROM hits WHERE counterid = 1 AND eventdate >= '2013-07-01' AND eventdate <= '2013-07-31' AND isrefresh = 0 GROUP BY traficsourceid, searchengineid, advengineid, source, target$$,
$$SELECT traficsourceid, searchengineid, advengineid, CASE WHEN searchengineid = 0 AND advengineid = 0 THEN referer ELSE '' END AS source, url AS target, count(*) AS n
FROM hits WHERE counterid = 1 AND eventdate >= '2013-07-01' AND eventdate <= '2013-07-31' AND isrefresh = 0 GROUP BY traficsourceid, searchengineid, advengineid, source, target$$, 'ORDER BY n DESC LIMIT 10'),

(41, 'pages by day, from one page', 'as it is', 'private', 2, 1, 3,
$$SELECT urlhash, eventdate, dp_count(*) AS n FROM hits WHERE counterid = 1 AND eventdate >= '2013-07-01' AND eventdate <= '2013-07-31' AND isrefresh = 0 AND traficsourceid IN (-1, 6) AND refererhash = -1 GROUP BY urlhash, eventdate$$,
$$SELECT urlhash, eventdate, count(*) AS n FROM hits WHERE counterid = 1 AND eventdate >= '2013-07-01' AND eventdate <= '2013-07-31' AND isrefresh = 0 AND traficsourceid IN (-1, 6) AND refererhash = -1 GROUP BY urlhash, eventdate$$, 'ORDER BY n DESC LIMIT 10'),

(42, 'sizes of windows on one page', 'as it is', 'private', 2, 1, 1,
$$SELECT windowclientwidth, windowclientheight, dp_count(*) AS n FROM hits WHERE counterid = 1 AND eventdate >= '2013-07-01' AND eventdate <= '2013-07-31' AND isrefresh = 0 AND dontcounthits = 0 AND url = 'http://site1.example/0' GROUP BY windowclientwidth, windowclientheight$$,
$$SELECT windowclientwidth, windowclientheight, count(*) AS n FROM hits WHERE counterid = 1 AND eventdate >= '2013-07-01' AND eventdate <= '2013-07-31' AND isrefresh = 0 AND dontcounthits = 0 AND url = 'http://site1.example/0' GROUP BY windowclientwidth, windowclientheight$$, 'ORDER BY n DESC LIMIT 10'),

(43, 'hits by minute in two days', 'as it is', 'computed', 1, 1, 2,
$$SELECT date_trunc('minute', eventtime) AS minute, dp_count(*) AS n FROM hits WHERE counterid = 1 AND eventtime >= '2013-07-14' AND eventtime < '2013-07-16' AND isrefresh = 0 AND dontcounthits = 0 GROUP BY minute HAVING dp_count(*) > 0.5$$,
$$SELECT date_trunc('minute', eventtime) AS minute, count(*) AS n FROM hits WHERE counterid = 1 AND eventtime >= '2013-07-14' AND eventtime < '2013-07-16' AND isrefresh = 0 AND dontcounthits = 0 GROUP BY minute HAVING count(*) > 0.5$$, 'ORDER BY minute LIMIT 10 OFFSET 10');

-- A question's text.
CREATE FUNCTION clickbench.asked(question integer) RETURNS text LANGUAGE sql AS
'SELECT concat_ws('' '', private, tail) FROM clickbench.questions WHERE number = question';

-- What ../measure.sql measures. Of what is released, rows count.
CREATE VIEW clickbench.measurable AS
SELECT number, about, form, public AS named_keys, c, m, keys, sql AS truth, concat_ws(' ', sql, tail) AS shown, 1 AS counted
FROM clickbench.questions WHERE private IS NOT NULL;
