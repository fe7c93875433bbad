//! The normal distribution.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// The two-sided 95 % point of the normal distribution.
pub(super) const Z95: f64 = 1.959_963_984_540_054;

/// The probability that a standard normal variable is at most `x`; absolute error below 1e-14.
pub fn normal_cdf(x: f64) -> f64 {
    let t = x.abs() * FRAC_1_SQRT_2;
    let tail = if t < 2.5 {
        (1.0 - erf_series(t)) / 2.0
    } else {
        erfc_fraction(t) / 2.0
    };
    if x < 0.0 { tail } else { 1.0 - tail }
}

/// erf(t) = 2/sqrt(pi) exp(-t^2) sum_n 2^n t^(2n+1) / (2n+1)!! (Abramowitz and Stegun 7.1.6): no
/// cancellation.
fn erf_series(t: f64) -> f64 {
    let (mut term, mut sum, mut n) = (t, t, 0.0);
    while term > sum * 1e-17 {
        n += 1.0;
        term *= 2.0 * t * t / (2.0 * n + 1.0);
        sum += term;
    }
    2.0 / PI.sqrt() * (-t * t).exp() * sum
}

/// The continued fraction of erfc (Abramowitz and Stegun 7.1.14), from the inside.
fn erfc_fraction(t: f64) -> f64 {
    let inner = (1..=80)
        .rev()
        .fold(t, |value, k| t + f64::from(k) / 2.0 / value);
    (-t * t).exp() / PI.sqrt() / inner
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Abramowitz and Stegun, table 26.1, and symmetry; the tail against its value from 30-digit
    /// arithmetic.
    #[test]
    fn known_values() {
        let known = [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (1.96, 0.975_002_104_851_780),
            (3.0, 0.998_650_101_968_370),
            (3.6, 0.999_840_891_409_842),
        ];
        for (x, value) in known {
            assert!(
                (normal_cdf(x) - value).abs() < 1e-14,
                "{x}: {}",
                normal_cdf(x)
            );
            assert!((normal_cdf(x) + normal_cdf(-x) - 1.0).abs() < 1e-15);
        }
        assert!((normal_cdf(-6.0) / 9.865_876_450_376_98e-10 - 1.0).abs() < 1e-12);
        assert!((2.0 * normal_cdf(-Z95) - 0.05).abs() < 1e-14);
    }

    #[test]
    fn it_is_the_integral_of_the_density() {
        let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * PI).sqrt();
        let (mut sum, steps) = (0.5, 400_000);
        let h = 4.0 / f64::from(steps);
        for i in 0..steps {
            sum += h * density((f64::from(i) + 0.5) * h);
            if i % 40_000 == 39_999 {
                let x = f64::from(i + 1) * h;
                assert!((normal_cdf(x) - sum).abs() < 1e-10, "{x}");
            }
        }
    }
}
