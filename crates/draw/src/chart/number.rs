//! Numbers on an axis.

/// A number as people write it on an axis: `0.002`, `50`, `20 000`, `10^7`.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".into();
    }
    if !(1e-4..1e6).contains(&size) {
        let power = (size.log10() + 1e-9).floor();
        let factor = (value / 10f64.powf(power) * 100.0).round() / 100.0;
        let power = superscript(power as i64);
        return if factor == 1.0 {
            format!("10{power}")
        } else {
            format!("{factor}·10{power}")
        };
    }
    let digits = (2 - size.log10().floor() as i32).clamp(0, 8) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let mut grouped = String::new();
    for (i, c) in text.chars().enumerate() {
        if i > 0 && (text.len() - i) % 3 == 0 && text.len() > 4 {
            grouped.push('\u{202f}');
        }
        grouped.push(c);
    }
    grouped
}

pub(super) fn superscript(power: i64) -> String {
    let raised = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = power.to_string();
    let raise = |c: char| match c.to_digit(10) {
        Some(digit) => raised[digit as usize],
        None => '⁻',
    };
    digits.chars().map(raise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        let texts = [0.0, 0.002, 1.5, 250.0, 20_000.0, 1e7, 2.5e-6, -4e9].map(short);
        let expected = [
            "0",
            "0.002",
            "1.5",
            "250",
            "20\u{202f}000",
            "10⁷",
            "2.5·10⁻⁶",
            "-4·10⁹",
        ];
        assert_eq!(texts, expected);
    }
}
