eval sheet(760)
set output picture('many-questions')
data = table('many-questions')
gains = table('many-questions-gain')
set multiplot
set lmargin 10
set rmargin 3
set logscale xy
set format y '%g'
set xrange [0.9:1100]

set title 'Error of each of k counts that a grant of ε = 1, δ = 10⁻⁶ pays for; curves: theory, points: measured'
set size 1, 0.55
set origin 0, 0.45
set ylabel 'root mean square error, in rows'
set yrange [1:10000]
methods = "'pure geometric' 'pure gaussian' 'zcdp'"
names = "'pure: geometric noise of ε/k' 'pure: Gaussian noise of ε/k and δ/k' 'zcdp: Gaussian noise of ρ/k'"
plot for [i=1:3] data using 2:(of(word(methods, i), 'theory')) with lines linetype i notitle, \
	for [i=1:3] data using 2:(of(word(methods, i), 'measured')) with points linetype i notitle, \
	for [i=1:3] keyentry with linespoints linetype i title word(names, i)

set title 'How many times less that is under zcdp than with geometric noise under pure'
set size 1, 0.45
set origin 0, 0
set xlabel 'k, counts'
set ylabel 'times'
set yrange [0.2:30]
set ytics (0.2, 0.5, 1, 2, 5, 10, 20)
set arrow from 0.9, 1 to 1100, 1 nohead linecolor rgb '#444444' linewidth 1
set key maxrows 2 maxcols 2
grants = "0.1 1 5 20"
titles = "'ε = 0.1, δ = 10⁻⁵' 'ε = 1, δ = 10⁻⁶' 'ε = 5, δ = 10⁻⁶' 'ε = 20, δ = 10⁻⁶'"
plot for [i=1:4] gains using 2:(of(word(grants, i), 'gain')) with lines linetype i title word(titles, i)
unset multiplot
