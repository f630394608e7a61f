eval sheet(760)
set output picture('colluders')
data = table('colluders-count')
sums = table('colluders-sum')
set multiplot
set lmargin 11
set rmargin 3
set logscale xy
set title 'Error that k colluders are left with; independent answers and a chain, ε = 1'
set size 1, 0.47
set origin 0, 0.53
set ylabel 'of a count, in rows'
set xrange [0.9:1200]
set yrange [0.0001:2]
set format y '%g'
set key maxcols 2 maxrows 2
plot data using 2:(of('chain', 'theory')) with lines linetype 1 notitle, \
	data using 2:(of('chain', 'measured')) with points linetype 1 notitle, \
	data using 2:(of('chain averaged', 'measured')) with linespoints linetype 7 notitle, \
	data using 2:(of('geometric', 'theory')) with lines linetype 2 notitle, \
	data using 2:(of('geometric', 'measured')) with points linetype 2 notitle, \
	data using 2:(of('geometric', 'published')) with lines linetype 4 notitle, \
	keyentry with linespoints linetype 1 title 'chain: its highest answer', \
	keyentry with linespoints linetype 7 title 'chain: average of its answers', \
	keyentry with linespoints linetype 2 title 'geometric: median', \
	keyentry with lines linetype 4 title 'published trend (18)'
unset title
set size 1, 0.53
set origin 0, 0
set xlabel 'k, colluders'
set ylabel 'of a sum, in units of its sensitivity'
set yrange [0.002:2]
set key maxrows 3 maxcols 2
plot sums using 2:(of('chain', 'theory')) with lines linetype 1 notitle, \
	sums using 2:(of('chain', 'measured')) with points linetype 1 notitle, \
	sums using 2:(of('Laplace', 'theory')) with lines linetype 5 notitle, \
	sums using 2:(of('Laplace', 'measured')) with points linetype 5 notitle, \
	sums using 2:(of('Laplace', 'published')) with lines linetype 4 notitle, \
	sums using 2:(of('staircase median', 'theory')) with lines linetype 2 notitle, \
	sums using 2:(of('staircase median', 'measured')) with points linetype 2 notitle, \
	sums using 2:(of('staircase median', 'published')) with lines linetype 6 notitle, \
	sums using 2:(of('staircase best attack', 'measured')) with linespoints linetype 3 notitle, \
	keyentry with linespoints linetype 1 title 'chain: its highest answer', \
	keyentry with linespoints linetype 5 title 'Laplace: median', \
	keyentry with lines linetype 4 title 'published trend (16)', \
	keyentry with linespoints linetype 2 title 'staircase: median', \
	keyentry with lines linetype 6 title 'published trend (17)', \
	keyentry with linespoints linetype 3 title 'staircase: best attack'
unset multiplot
