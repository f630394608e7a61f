eval sheet(560)
set output picture('key-thresholds')
data = table('key-thresholds')
set title 'From how many people on a group with a private key is shown; ε = 1, δ = 10⁻⁶'
set xlabel 'm, groups that a person may be in'
set ylabel 'threshold, in people'
set logscale xy
set xrange [0.9:115]
set yrange [5:2500]
set xtics (1, 2, 3, 5, 10, 20, 50, 100)
set ytics (5, 10, 20, 50, 100, 200, 500, 1000, 2000)
methods = "'geometric' 'gaussian' 'gaussian of rho'"
names = "'geometric counts (curve: closed form)' 'Gaussian counts, ε and δ for noise and threshold' 'Gaussian counts, asked at ε = 1 of a zcdp budget: ρ = R(1), and δ'"
plot data using 2:(of('geometric', 'theory')) with lines linetype 1 notitle, \
	data using 2:(of('geometric', 'threshold')) with points linetype 1 notitle, \
	for [i=2:3] data using 2:(of(word(methods, i), 'threshold')) with linespoints linetype i notitle, \
	for [i=1:3] keyentry with linespoints linetype i title word(names, i)
