eval sheet(420)
set output picture('omop')
data = table('omop')
set title 'Answers at ε = 0.5 each, and 95% intervals' offset -16,0
unset key
set lmargin 47
set xlabel 'percent of the truth'
set xrange [60:145]
set xtics 60, 10
set yrange [10.6:0.4]
set ytics ()
unset ytics
set arrow 1 from 100, graph 0 to 100, graph 1 nohead linetype 7 dashtype solid
percent(name) = 100 * column(name) / column('truth')
plot data using (percent('answer')):1:(percent('low')):(percent('high')) skip 0 with xerrorbars linetype 2 dashtype solid pointsize 0.9, \
	data using (percent('answer')):1 with points linetype 2 pointsize 0.9, \
	data using (60):1:(strcol('question')) with labels right offset -1,0 textcolor rgb '#444444' font ',11'
