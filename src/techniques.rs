#![doc = include_str!("../docs/techniques.md")]
