"""Names of the rows of what kernels compute; nothing here needs a compiler."""

# rows of the float64 sums of a stretch: powers of x - centre, steps, their steps, path
SQUARE, CUBE, FOURTH, STEP_SQUARE, BEND_SQUARE, PATH = range(6)
N_SUMS = 6
# rows of its int32 marks
(CENTRE, REST, LEAST, GREATEST, N_LEAST, N_GREATEST, N_FLAT) = range(7)
FIRST, SECOND, LAST_BUT_ONE, LAST = range(7, 11)
N_MARKS = 11
# rows of the features of a window: seven of the waveform, then of its bands
(RMS, STD, KURTOSIS, RANGE, LINE_LENGTH, MOBILITY, CROSSINGS, POWERS) = range(8)
N_BANDS = 6
N_FEATURES = POWERS + 2 * N_BANDS + 2
COARSE = 64  # segments that share one row of density sums
PRODUCT_TILE = 512  # samples whose products are added up in integers
