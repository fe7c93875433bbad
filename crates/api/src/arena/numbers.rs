//! Lists of numbers.

use crate::error::Error;

/// Exactly `N` numbers between commas, each at most 2^40, as the field `field` wants them.
pub(super) fn numbers<const N: usize>(
    field: &'static str,
    text: &str,
    form: &str,
) -> Result<[u64; N], Error> {
    let found: Option<Vec<u64>> = (text.split(','))
        .map(|part| part.trim().parse().ok().filter(|&n| n <= 1 << 40))
        .collect();
    found.and_then(|n| n.try_into().ok()).ok_or_else(|| {
        let text = everymove_kernel::text::shown(text);
        let message = format!("{field} {text}: expected {form}, whole numbers");
        Error::message(Some(field), message)
    })
}
