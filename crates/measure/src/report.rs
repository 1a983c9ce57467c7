//! The HTML report: a self-contained page that builds its tables and charts from the runs embedded
//! in it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::bounds::{Explanation, explain};
use crate::compare::{Change, Mean, Row, changes, means, side_by_side};
use crate::figures::Run;
use crate::settings::MAIN;

/// The input of the page's script.
#[derive(Serialize)]
struct Data<'a> {
    runs: &'a [Run],
    /// The machines' names.
    titles: Vec<String>,
    /// For each later run, the mean changes from the first run to that run.
    means: Vec<Vec<Mean>>,
    /// The tables of the main operations, if there are several runs.
    side_by_side: Vec<(&'static str, Vec<Row>)>,
    /// The explanation of the kernels' speed, if there is only one run.
    explanation: Option<Explanation>,
}

/// Makes the page for one run, or for several runs side by side.
///
/// # Panics
/// If there are no runs.
#[must_use]
pub fn page(runs: &[Run]) -> String {
    let (first, later) = runs.split_first().expect("at least one run");
    let comparisons: Vec<Vec<Change>> = later.iter().map(|run| changes(first, run)).collect();
    let tables = MAIN.map(|operation| (operation, side_by_side(runs, &comparisons, operation)));
    let data = Data {
        runs,
        titles: runs.iter().map(|run| run.machine.title()).collect(),
        means: comparisons.iter().map(|changes| means(changes)).collect(),
        side_by_side: if later.is_empty() { Vec::new() } else { tables.into() },
        explanation: if later.is_empty() { explain(first) } else { None },
    };
    let data = serde_json::to_string(&data).expect("plain data");
    // The data are inserted last, because they may contain the placeholders of the other parts.
    // They must not contain `</script>`, which would end the element.
    template().replace("{{data}}", &data.replace('<', "\\u003c"))
}

/// The page without data. Its content security policy allows exactly this script and this style,
/// and no network access.
fn template() -> String {
    let page =
        include_str!("report/report.html").replace("{{script}}", include_str!("report/report.js"));
    let hash = |start: &str, end: &str| {
        let (_, rest) = page.split_once(start).expect("a part of the page");
        let (part, _) = rest.split_once(end).expect("a part of the page");
        format!("'sha256-{}'", STANDARD.encode(Sha256::digest(part)))
    };
    let policy = format!(
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; \
         script-src {}; style-src {}",
        hash("<script>", "</script>"),
        hash("<style>", "</style>")
    );
    page.replace("{{policy}}", &policy)
}

#[cfg(test)]
mod tests {
    use crate::boards::Boards;
    use crate::figures::Run;
    use crate::run::measure;
    use crate::settings::Options;
    use setwise::Kernel;

    fn owned((start, rest): (&str, &str)) -> (String, String) {
        (start.into(), rest.into())
    }

    /// The page loads nothing and contains its runs. Text from a run never becomes markup.
    #[test]
    fn pages_are_self_contained() {
        let options = Options {
            kernels: Kernel::available().take(2).collect(),
            positions: Some((Boards::random(64), "some <positions>".into())),
            given: vec!["--operation </script><b>".into()],
            quick: true,
            ..Options::default()
        };
        let run = measure(&options, &mut |_, _| ());
        for runs in [vec![run.clone()], vec![run.clone(); 2]] {
            let page = super::page(&runs);
            let namespaces = page.matches("\"http://www.w3.org/").count();
            assert_eq!(page.matches("://").count(), namespaces, "an address that is not a name");
            assert_eq!(page.matches("</script>").count(), 2, "the data and the code");
            // Outside the data, the page is the same for all runs.
            let (start, rest) = super::template().split_once("{{data}}").map(owned).unwrap();
            assert!(page.starts_with(&start) && page.ends_with(&rest));
            assert!(!page[start.len()..page.len() - rest.len()].contains('<'));
            let (_, data) = page.split_once("id=\"data\">").unwrap();
            let data: serde_json::Value =
                serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
            assert_eq!(Run::read(data["runs"][0].to_string().as_bytes()).unwrap(), run);
            assert_eq!(data["means"].as_array().unwrap().len(), runs.len() - 1);
        }
    }
}
