//! Reads a benchmark run from arbitrary bytes. If the run is accepted, it is serialised, compared
//! with its summary, drawn, and made into a report.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use setwise_measure::figures::Run;
use setwise_measure::{compare, drawing, report};

fuzz_target!(|data: &[u8]| -> Corpus {
    let run = match Run::read(data) {
        Ok(run) => run,
        Err(error) => {
            assert!(!error.chars().any(char::is_control), "{error}");
            return Corpus::Keep;
        }
    };
    let again = Run::read(serde_json::to_vec(&run).expect("plain data").as_slice());
    assert_eq!(again.as_ref(), Ok(&run));
    let summary = run.clone().summary();
    for change in compare::changes(&run, &summary) {
        assert!(change.factor.is_finite(), "{change:?}");
    }
    assert!(!drawing(&run).contains("NaN"));
    let page = report::page(&[run, summary]);
    assert_eq!(page.matches("</script").count(), 2);
    Corpus::Keep
});
