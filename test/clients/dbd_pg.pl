# DBD::Pg: column_info, statements prepared on the server with placeholders and
# bound types, cursors, COPY of a query.
use strict;
use warnings;

$| = 1;
$\ = "\n";
$, = "\t";

if (!eval { require DBI; require DBD::Pg })
{
	print 'skip', 'there is no DBD::Pg';
	exit;
}
print 'version', "DBD::Pg $DBD::Pg::VERSION";

my $dbh = DBI->connect('dbi:Pg:', '', '', { RaiseError => 1, PrintError => 0 });

# groups QUESTION, ROWS: keys and values
sub groups
{
	my ($question, $rows) = @_;

	print $question, map { substr($_->[0], 0, 10) . "=$_->[1]" } @$rows;
}

my $info = $dbh->column_info(undef, 'public', 'people', undef);
print 'columns', map { $_->{COLUMN_NAME} } @{ $info->fetchall_arrayref({}) };
my $none = $dbh->prepare('SELECT * FROM people WHERE 1 = 0');
$none->execute;
print 'same', 'columns of no rows', "@{ $none->{NAME} }", 'id city smoker age weight joined';

print 'all', $dbh->selectrow_array('SELECT count(*) FROM people');
groups('cities', $dbh->selectall_arrayref('SELECT city, count(*) FROM people GROUP BY city'));
print 'age', $dbh->selectrow_array('SELECT avg(age) FROM people WHERE smoker');

my $heavier = $dbh->prepare('SELECT count(*) FROM people WHERE weight > ? AND city = ?');
foreach my $least (60 .. 72)
{
	print 'heavier', $least, 'Oslo', $dbh->selectrow_array($heavier, undef, $least, 'Oslo');
}
$heavier = $dbh->prepare('SELECT count(*) FROM people WHERE weight > $1 AND city = $2');
$heavier->bind_param(1, 60.5, { pg_type => DBD::Pg::PG_FLOAT8() });
$heavier->bind_param(2, 'Rome', { pg_type => DBD::Pg::PG_TEXT() });
$heavier->execute;
print 'heavier', 60.5, 'Rome', $heavier->fetchrow_array;

groups('months', $dbh->selectall_arrayref(
	q{SELECT date_trunc('month', joined), count(*) FROM people GROUP BY 1}));

$dbh->begin_work;
$dbh->do('DECLARE by_city CURSOR FOR SELECT city, count(*) FROM people GROUP BY city');
groups('cities', $dbh->selectall_arrayref('FETCH ALL FROM by_city'));
$dbh->commit;

$dbh->do('COPY (SELECT city, count(*) FROM people GROUP BY city) TO STDOUT');
my @rows;
while ($dbh->pg_getcopydata(my $row) >= 0)
{
	chomp $row;
	push @rows, [ split /\t/, $row ];
}
groups('cities', \@rows);
undef $_ foreach $none, $heavier;
$dbh->disconnect;
print 'done';
