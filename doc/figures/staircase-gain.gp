eval sheet(560)
set output picture('staircase-gain')
data = table('staircase-gain')
set title 'What the staircase gains over Laplace noise; curves: theory, points: measured'
set xlabel 'ε'
set ylabel 'error of Laplace noise / error of the staircase'
set xrange [0:10.3]
set logscale y
set yrange [1:30]
set ytics (1, 2, 3, 5, 10, 15, 23, 30)
plot data using 2:(of('power', 'theory')) with lines linetype 1 notitle, \
	data using 2:(of('power', 'measured')) with points linetype 1 notitle, \
	data using 2:(of('amplitude', 'theory')) with lines linetype 2 notitle, \
	data using 2:(of('amplitude', 'measured')) with points linetype 2 notitle, \
	keyentry with linespoints linetype 1 title 'power, E X²', \
	keyentry with linespoints linetype 2 title 'amplitude, E|X|'
