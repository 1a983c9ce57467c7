//! Parsers of numbers in arguments.

use clap::builder::RangedU64ValueParser;

pub(crate) fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(..=256)
}

/// Parses a number of this range, which clap does for integers only.
pub(crate) fn from_to(
    least: f64,
    most: f64,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(_) => Err(format!("must be from {least} to {most}")),
        Err(_) => Err("not a number".into()),
    }
}
