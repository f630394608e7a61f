eval sheet(690)
set output picture('loss-count')
data = table('loss-count')
set multiplot
set xrange [0:1]
set x2range [0:1]
set lmargin 10
set rmargin 3
methods = "'Laplace' 'Laplace rounded' 'staircase' 'staircase rounded' 'geometric'"

set title 'Mean absolute error of a count; curves: theory, points: measured'
set size 1, 0.52
set origin 0, 0.48
set ylabel 'in rows'
set logscale y
set yrange [0.1:50]
set x2tics ('ε = 3' exp(-3), '2' exp(-2), '1' exp(-1), '0.5' exp(-0.5), '0.2' exp(-0.2), '0.1' exp(-0.1))
plot for [i=1:5] data using 2:(of(word(methods, i), 'theory')) with lines linetype i notitle, \
	for [i=1:5] data using 2:(of(word(methods, i), 'measured')) with points linetype i notitle

unset title
unset x2tics
unset logscale y
set size 1, 0.48
set origin 0, 0
set xlabel 'α = exp(-ε)     (more private to the right)'
set ylabel 'in parts of Laplace noise, 1/ε'
set yrange [0:1.15]
plot for [i=1:5] data using 2:(-log($2) * of(word(methods, i), 'theory')) with lines linetype i notitle, \
	for [i=1:5] data using 2:(-log($2) * of(word(methods, i), 'measured')) with points linetype i notitle, \
	for [i=1:5] keyentry with linespoints linetype i title word(methods, i)
unset multiplot
