//! Work compiled twice: for every processor of the architecture, and for those of the last ten
//! years, chosen when the program runs.

/// Work that gains from newer instructions.
pub trait Task {
    /// What it returns.
    type Output;

    /// Does the work. It should be `#[inline(always)]`, and so should the functions that it calls:
    /// only code that is inlined here is compiled with the newer instructions.
    fn run(self) -> Self::Output;
}

/// Runs a task; on x86-64 processors with AVX2, BMI1, BMI2, LZCNT and POPCNT (Intel since 2013, AMD
/// since 2015) in code that uses them. The result is the same.
///
/// ```
/// use everymove_kernel::dispatch::{Task, run};
///
/// struct Count<'a>(&'a [u64]);
///
/// impl Task for Count<'_> {
///     type Output = u32;
///     #[inline(always)]
///     fn run(self) -> u32 {
///         self.0.iter().map(|word| word.count_ones()).sum()
///     }
/// }
///
/// assert_eq!(run(Count(&[1, 3, u64::MAX])), 67);
/// ```
#[inline]
#[cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "code for newer processors is called after a test of the processor"
    )
)]
pub fn run<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn newer<T: Task>(task: T) -> T::Output {
            task.run()
        }
        if has_newer_instructions() {
            // SAFETY: the processor has the instructions that `newer` is compiled for.
            return unsafe { newer(task) };
        }
    }
    task.run()
}

/// Whether [`run`] uses the newer instructions on this processor.
#[inline]
pub fn has_newer_instructions() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected;
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::SplitMix64;

    struct Bits<'a>(&'a [u64]);

    impl Task for Bits<'_> {
        type Output = (u32, u32, u32);
        #[inline(always)]
        fn run(self) -> Self::Output {
            let sum = |count: fn(u64) -> u32| self.0.iter().map(|&w| count(w)).sum();
            (
                sum(u64::count_ones),
                sum(u64::trailing_zeros),
                sum(u64::leading_zeros),
            )
        }
    }

    /// Both copies of the code give the same, also for a word without a bit.
    #[test]
    fn the_newer_code_gives_what_the_older_gives() {
        let mut rng = SplitMix64::new(4);
        for n in 0..200 {
            let words: Vec<u64> = (0..n)
                .map(|_| rng.below(u64::MAX) >> rng.below(64))
                .collect();
            assert_eq!(run(Bits(&words)), Bits(&words).run());
        }
        assert_eq!(run(Bits(&[0, 0])), (0, 128, 128));
    }
}
