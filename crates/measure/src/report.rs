//! The HTML report: a self-contained page that builds its tables and charts from the runs embedded
//! in it.

use serde::Serialize;

use crate::compare::{Mean, changes, means};
use crate::figures::Run;

/// The input of the page's script.
#[derive(Serialize)]
struct Data<'a> {
    runs: &'a [Run],
    /// For each later run, the mean changes from the first run to that run.
    means: Vec<Vec<Mean>>,
    /// The number of vector instructions per board as CSV, counted in the disassembly for x86-64.
    vector_operations: &'a str,
}

/// Makes the page for one run, or for several runs side by side.
///
/// # Panics
/// If there are no runs.
#[must_use]
pub fn page(runs: &[Run]) -> String {
    let (first, later) = runs.split_first().expect("at least one run");
    let data = Data {
        runs,
        means: later.iter().map(|run| means(&changes(first, run))).collect(),
        vector_operations: include_str!("../data/vector-operations.csv"),
    };
    let data = serde_json::to_string(&data).expect("plain data");
    include_str!("report/report.html")
        .replace("{{script}}", include_str!("report/report.js"))
        // Data must not contain `</script>`, which would end the element.
        .replace("{{data}}", &data.replace('<', "\\u003c"))
}

#[cfg(test)]
mod tests {
    use crate::boards::Boards;
    use crate::figures::Run;
    use crate::run::measure;
    use crate::settings::Options;
    use setwise::Kernels;

    /// The page loads nothing and contains its runs. Text from a run never becomes markup.
    #[test]
    fn pages_are_self_contained() {
        let options = Options {
            kernels: Kernels::available().take(2).collect(),
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
            assert!(!page.contains("</script><b>") && !page.contains("<positions>"));
            let (_, data) = page.split_once("id=\"data\">").unwrap();
            let data: serde_json::Value =
                serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
            assert_eq!(Run::read(&data["runs"][0].to_string()).unwrap(), run);
            assert_eq!(data["means"].as_array().unwrap().len(), runs.len() - 1);
        }
    }
}
