//! Numbers as people read them.

/// A count with its thousands apart: `18_432`.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}

/// A value to so many digits that matter, without zeros at its end.
pub(crate) fn value(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return if value.is_nan() { "NaN".to_owned() } else { format!("{value}") };
    }
    let exponent = value.abs().log10().floor() as i32;
    if (-4..=6).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        return without_zeros(&format!("{value:.decimals$}")).to_owned();
    }
    let text = format!("{value:.*e}", digits - 1);
    let (significand, power) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{power}", without_zeros(significand))
}

fn without_zeros(text: &str) -> &str {
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.')
}

/// A word with its count: `1 core`, `2 cores`.
pub(crate) fn counted(count_of: u64, word: &str) -> String {
    let plural = if count_of == 1 { "" } else { "s" };
    format!("{} {word}{plural}", count(count_of))
}

#[cfg(test)]
mod tests {
    use super::{count, value};

    #[test]
    fn thousands_are_apart() {
        let texts = [0, 12, 999, 1000, 18_432, 1_000_000].map(count);
        assert_eq!(texts, ["0", "12", "999", "1_000", "18_432", "1_000_000"]);
    }

    #[test]
    fn values_have_the_digits_that_matter() {
        let check = |number, text| assert_eq!(value(number, 4), text);
        check(0.0, "0");
        check(0.5, "0.5");
        check(-0.123_456, "-0.1235");
        check(1234.56, "1235");
        check(0.000_123_456, "0.0001235");
        check(0.000_012_345_6, "1.235e-5");
        check(6.25e-9, "6.25e-9");
        check(1.0e9, "1e9");
        check(f64::NAN, "NaN");
        check(f64::NEG_INFINITY, "-inf");
    }
}
