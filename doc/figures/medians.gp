eval sheet(640)
set output picture('medians')
data = table('medians')
paper = table('medians-published')
set title 'Error of a median of 1000 normal values in [-10, 10]; curves: theory, points: measured'
set xlabel 'ε'
set ylabel 'mean absolute error × 100'
set xrange [0.42:2.4]
set logscale xy
set xtics (0.5, 1, 2)
set yrange [0.1:120]
set key maxrows 7
methods = "'smooth_cauchy(constants=nrs)' 'smooth_cauchy' 'smooth_laplace(delta=0.001 constants=nrs)' 'smooth_laplace(delta=0.001)' 'smooth_laplace(delta=0.9 constants=nrs)' 'exponential'"
plot for [i=1:6] data using 2:(of(word(methods, i), 'theory')) with lines linetype i notitle, \
	for [i=1:6] data using 2:(of(word(methods, i), 'measured')) with points linetype i notitle, \
	for [i=1:6] keyentry with linespoints linetype i title word(methods, i), \
	data using ($2 * 1.05):(column('published')) with points linetype 7 pointtype 1 linecolor rgb 'black' title 'published (Duff table 1)', \
	paper using ($2 * 1.05):(column('published')):(column('standard_error_of_200')) with yerrorbars linetype 7 dashtype solid pointtype 1 linecolor rgb 'black' notitle
