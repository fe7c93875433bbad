//! Values of fields within their range.

use crate::error::Error;

/// Refuses a value outside its range.
pub(crate) fn within<T: PartialOrd + std::fmt::Display>(
    field: &'static str,
    value: &T,
    range: &std::ops::RangeInclusive<T>,
) -> Result<(), Error> {
    if range.contains(value) {
        return Ok(());
    }
    let message = format!(
        "{field} {value}: expected {} to {}",
        range.start(),
        range.end()
    );
    Err(Error::message(Some(field), message))
}
