# Makes pooled.json: what metafor 3.8-1 (Debian 12, R 4.2.2) gives for the data sets below.
# Run in this folder: Rscript pooled.R. Needs r-cran-metafor and r-cran-jsonlite.
# The sets were made by hand, but for "bcg": the numbers of the 13 trials of BCG vaccine that Colditz
# and others (JAMA 1994;271:698) published, as in metafor's dat.bcg.
suppressMessages(library(metafor))
library(jsonlite)
exact <- list(threshold = 1e-13, maxiter = 10000)

counts <- list(
  bcg = data.frame(
    ai = c(4, 6, 3, 62, 33, 180, 8, 505, 29, 17, 186, 5, 27),
    n1i = c(123, 306, 231, 13598, 5069, 1541, 2545, 88391, 7499, 1716, 50634, 2498, 16913),
    ci = c(11, 29, 11, 248, 47, 372, 10, 499, 45, 65, 141, 3, 29),
    n2i = c(139, 303, 220, 12867, 5808, 1451, 629, 88391, 7277, 1665, 27338, 2341, 17854)),
  zero_cells = data.frame(ai = c(0, 2, 5, 12, 3), n1i = c(20, 40, 55, 100, 3),
                          ci = c(4, 0, 9, 15, 1), n2i = c(22, 38, 50, 100, 4)),
  unequal = data.frame(ai = c(1, 900, 3, 0), n1i = c(7, 20000, 9, 11),
                       ci = c(3, 1000, 2, 2), n2i = c(6, 20100, 8, 13)),
  alike = data.frame(ai = c(10, 20, 30), n1i = c(100, 200, 300), ci = c(12, 24, 36),
                     n2i = c(100, 200, 300)),
  two = data.frame(ai = c(15, 4), n1i = c(80, 60), ci = c(6, 11), n2i = c(82, 61)),
  rare = data.frame(ai = c(1, 0, 2, 1, 0, 3), n1i = c(500, 480, 1000, 350, 90, 2100),
                    ci = c(3, 1, 0, 2, 1, 5), n2i = c(490, 495, 990, 340, 88, 2000)),
  same_cell_zero = data.frame(ai = c(0, 0, 0), n1i = c(30, 45, 60), ci = c(3, 2, 5),
                              n2i = c(31, 44, 62)),
  double_zero = data.frame(ai = c(0, 5, 30, 2, 9), n1i = c(25, 60, 30, 41, 80),
                           ci = c(0, 8, 33, 6, 14), n2i = c(26, 58, 33, 40, 84)),
  one = data.frame(ai = 7, n1i = 50, ci = 12, n2i = 49))

means <- list(
  pressure = data.frame(
    m1i = c(-8.1, -5.5, -12, -3.3, -7), sd1i = c(9, 8.4, 11.2, 7.5, 10.1),
    n1i = c(50, 120, 18, 75, 200), m2i = c(-3.2, -4.1, -2.5, -3.9, -1.8),
    sd2i = c(8.8, 8.9, 10.5, 7.2, 9.6), n2i = c(48, 118, 20, 77, 196)),
  small = data.frame(m1i = c(3.1, 2.2, 5), sd1i = c(0.7, 1.9, 2.2), n1i = c(4, 3, 6),
                     m2i = c(1, 2.5, 2.9), sd2i = c(0.9, 1.1, 1.8), n2i = c(3, 3, 5)),
  unequal = data.frame(m1i = c(101, 98.2, 110), sd1i = c(15, 14.2, 30), n1i = c(5000, 12, 40),
                       m2i = c(100, 104, 90), sd2i = c(15.1, 9, 28), n2i = c(5100, 10, 41)))

# the restricted likelihood has two maxima, of which that at 0 is higher; metafor warns
differences <- list(two_maxima = data.frame(
  estimate = c(1.272, -0.064, 0.548, 0.31, 0.475, 0.311, -0.277, 0.732, 0.568, -0.418),
  low = c(0.557, -0.798, -0.14, 0.216, 0.267, 0.259, -0.858, -1.002, -0.324, -1.008),
  high = c(1.987, 0.67, 1.236, 0.404, 0.683, 0.363, 0.304, 2.466, 1.46, 0.172), level = 95))

told <- function(fit) {
  out <- list(y = c(fit$b), se = fit$se, low = fit$ci.lb, high = fit$ci.ub, p = fit$pval,
              q = fit$QE, q_p = fit$QEp, i2 = fit$I2, tau2 = fit$tau2,
              weights = as.vector(weights(fit)))
  if (fit$k > 2) { # Higgins, Thompson and Spiegelhalter: t with k - 2 degrees of freedom
    reach <- qt(0.975, fit$k - 2) * sqrt(fit$se^2 + fit$tau2)
    out$prediction <- c(fit$b) + c(-1, 1) * reach
  }
  out
}
model <- function(dat) told(rma(yi, vi, data = dat, method = "REML", control = exact))
# metafor as it is by default, but that studies without (or with nothing but) events are dropped
# from ratios
telling <- function(d, measure)
  if (measure == "RD") d else subset(d, !(ai == 0 & ci == 0 | ai == n1i & ci == n2i))
binary <- function(all, measure) {
  d <- telling(all, measure)
  dat <- escalc(measure, ai = ai, n1i = n1i, ci = ci, n2i = n2i, data = d)
  list(data = all, yi = as.vector(dat$yi), vi = as.vector(dat$vi), model = model(dat))
}
continuous <- function(d, measure) {
  dat <- escalc(measure, m1i = m1i, sd1i = sd1i, n1i = n1i, m2i = m2i, sd2i = sd2i, n2i = n2i,
                data = d)
  list(data = d, yi = as.vector(dat$yi), vi = as.vector(dat$vi), model = model(dat))
}
generic <- function(d) {
  z <- qnorm(0.5 + d$level / 200)
  dat <- data.frame(yi = d$estimate, vi = ((d$high - d$low) / 2 / z)^2)
  list(yi = dat$yi, vi = dat$vi, model = model(dat))
}
over <- function(sets, measures, how)
  lapply(sets, function(d) sapply(measures, function(m) how(d, m), simplify = FALSE))
write(toJSON(list(
  counts = over(counts, c("RR", "RD"), binary),
  means = over(means, c("MD", "SMD"), continuous),
  variances = lapply(differences, function(d) list(MD = generic(d))),
  students_t = data.frame(df = c(1, 2, 3, 4, 7, 12, 39, 200),
                          quantile = qt(.975, c(1, 2, 3, 4, 7, 12, 39, 200)),
                          p = 2 * pt(-2.3, c(1, 2, 3, 4, 7, 12, 39, 200))),
  chi2 = data.frame(x = c(.5, 3, 9.2, 152.2, 40, 700), df = c(1, 2, 3, 12, 39, 400),
                    p = pchisq(c(.5, 3, 9.2, 152.2, 40, 700), c(1, 2, 3, 12, 39, 400),
                               lower.tail = FALSE))),
  digits = 12, auto_unbox = TRUE, dataframe = "columns", na = "null"), "pooled.json")
