eval sheet(560)
set output picture('mean-error')
data = table('mean-error')
set title 'Error of a mean of 1000 values in [0, 1], ε = 1; curves: theory, points: measured'
set xlabel 'true mean'
set ylabel 'root mean square error'
set xrange [0:1]
set yrange [0:0.0045]
set format y '%.4f'
ways = "'split budget' 'centred sum' 'dp_mean'"
plot for [i=1:3] data using 2:(of(word(ways, i), 'theory')) with lines linetype 4 - i notitle, \
	for [i=1:3] data using 2:(of(word(ways, i), 'measured')) with points linetype 4 - i notitle, \
	for [i=1:3] keyentry with linespoints linetype 4 - i title word(ways, i)
