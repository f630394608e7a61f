eval sheet(560)
set output picture('loss-mean')
data = table('loss-mean')
set title 'Mean absolute error of a mean near 0 of values in [-10, 10]; curves: theory, points: measured'
set xlabel 'α = exp(-ε)     (more private to the right)'
set ylabel 'mean absolute error, in units of the sensitivity 10'
set xrange [0:1]
set logscale y
set yrange [0.003:30]
set key maxrows 4
set x2range [0:1]
set x2tics ('ε = 3' exp(-3), '2' exp(-2), '1' exp(-1), '0.5' exp(-0.5), '0.2' exp(-0.2), '0.1' exp(-0.1))
methods = "'Laplace' 'staircase' 'staircase clamped' 'two_stage' 'two_stage with the mean anywhere'"
measured = "'dp_mean of 10 rows' 'dp_mean of 100 rows'"
plot for [i=1:5] data using 2:(of(word(methods, i), 'theory')) with lines linetype i notitle, \
	for [i=1:5] data using 2:(of(word(methods, i), 'measured')) with points linetype i notitle, \
	for [i=1:5] keyentry with linespoints linetype i title word(methods, i), \
	for [i=1:2] data using 2:(of(word(measured, i), 'measured')) with linespoints linetype i + 5 title word(measured, i)
