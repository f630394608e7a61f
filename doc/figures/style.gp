# What all figures share.  Curves differ in dashes and points as well as in
# colour, so that they can be told apart in grey.
#
# Called with the variables tables and pictures, directories.  Each figure begins
# with `eval sheet(height)`.

sheet(height) = sprintf("set terminal svg size 760,%d noenhanced font 'DejaVu Sans,Verdana,sans-serif,13' background rgb 'white' linewidth 1.3", height)
set encoding utf8
set datafile separator comma
set datafile missing ''
set border 31 linecolor rgb '#444444'
set xlabel offset 0,0.4
set grid linecolor rgb '#d8d8d8' linetype 1 linewidth 0.5
set tics nomirror
set key below vertical maxrows 3 width -1 height 1 samplen 4 spacing 1.2


set linetype 1 linecolor rgb '#000000' dashtype solid pointtype 7 pointsize 0.7
set linetype 2 linecolor rgb '#1f5fbf' dashtype (12,5) pointtype 5 pointsize 0.7
set linetype 3 linecolor rgb '#c0392b' dashtype (12,4,2,4) pointtype 9 pointsize 0.9
set linetype 4 linecolor rgb '#2e8b57' dashtype (3,3) pointtype 13 pointsize 0.8
set linetype 5 linecolor rgb '#7d3c98' dashtype (20,6) pointtype 6 pointsize 0.8
set linetype 6 linecolor rgb '#b9770e' dashtype (8,3,2,3,2,3) pointtype 4 pointsize 0.8
set linetype 7 linecolor rgb '#707070' dashtype (2,5) pointtype 2 pointsize 0.8

# A column (by name) of the rows of one method.
of(method, name) = strcol(1) eq method ? column(name) : NaN

table(name) = tables . '/' . name . '.csv'
picture(name) = pictures . '/' . name . '.svg'
