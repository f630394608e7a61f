eval sheet(560)
set output picture('loss-max')
data = table('loss-max')
set title 'Mean absolute error of a maximum of 1000 values in [-10, 10]; curves: theory, points: measured'
set xlabel 'α = exp(-ε)     (more private to the right)'
set ylabel 'mean absolute error, in units of the sensitivity 20'
set xrange [0:1]
set logscale y
set yrange [0.01:1]
set x2range [0:1]
set x2tics ('ε = 3' exp(-3), '2' exp(-2), '1' exp(-1), '0.5' exp(-0.5), '0.2' exp(-0.2), '0.1' exp(-0.1))
methods = "'Laplace clamped' 'staircase clamped' 'two_stage' 'exponential' 'above_threshold'"
plot for [i=1:words(methods)] data using 2:(of(word(methods, i), 'theory')) with lines linetype i notitle, \
	for [i=1:words(methods)] data using 2:(of(word(methods, i), 'measured')) with points linetype i notitle, \
	for [i=1:words(methods)] keyentry with linespoints linetype i title word(methods, i)
