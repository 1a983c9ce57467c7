//! Measures the time of the SQL function `queen_attacks` relative to the kernel, on batches of
//! 8,192 rows.
//!
//! Run it with `--release`: the `dev` profile does not optimise DataFusion's part of the call.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Int64Array, UInt64Array};
use arrow_schema::{DataType, Field};
use datafusion_common::config::ConfigOptions;
use datafusion_expr::{ColumnarValue, ScalarFunctionArgs};

const ROWS: usize = 8192;

fn main() {
    let functions = setwise_datafusion::functions();
    let function = functions
        .iter()
        .find(|function| function.name() == "queen_attacks")
        .expect("queen_attacks");
    let mut random = fastrand::Rng::with_seed(1);
    let queens: Vec<u64> = (0..ROWS).map(|_| 1 << random.u8(..64) | 1 << random.u8(..64)).collect();
    let occupied: Vec<u64> = (0..ROWS).map(|_| random.u64(..) & random.u64(..)).collect();
    let unsigned =
        [&queens, &occupied].map(|sets| Arc::new(UInt64Array::from(sets.clone())) as ArrayRef);
    let signed = [&queens, &occupied].map(|sets| {
        let bits = sets.iter().map(|set| set.cast_signed());
        Arc::new(Int64Array::from_iter_values(bits)) as ArrayRef
    });
    let call = |columns: &[ArrayRef; 2]| ScalarFunctionArgs {
        args: columns.iter().cloned().map(ColumnarValue::Array).collect(),
        arg_fields: columns
            .iter()
            .map(|column| Arc::new(Field::new("set", column.data_type().clone(), false)))
            .collect(),
        number_rows: ROWS,
        return_field: Arc::new(Field::new("attacks", DataType::UInt64, true)),
        config_options: Arc::new(ConfigOptions::default()),
    };
    let calls = [call(&unsigned), call(&signed)];

    let mut attacks = vec![0; ROWS];
    let mut samples: [Vec<Duration>; 3] = Default::default();
    for _ in 0..20_000 {
        let mut time = |n: usize, call: &mut dyn FnMut()| {
            let start = Instant::now();
            call();
            samples[n].push(start.elapsed());
        };
        time(0, &mut || {
            setwise::queen_attacks(black_box(&queens), black_box(&occupied), &mut attacks);
            black_box(&mut attacks);
        });
        for (n, call) in calls.iter().enumerate() {
            let mut call = Some(call.clone());
            time(1 + n, &mut || {
                let call = call.take().expect("one call");
                drop(black_box(function.invoke_with_args(call)));
            });
        }
    }
    // The mean of the fastest tenth of the samples.
    let [kernel, unsigned, signed] = samples.map(|mut samples| {
        samples.sort();
        let fastest = &samples[..samples.len() / 10];
        fastest.iter().sum::<Duration>().as_secs_f64() / fastest.len() as f64
    });
    println!(
        "kernel {}: {:.2} ns per board; the function relative to it: UInt64 {:.3}, Int64 {:.3}",
        setwise::Kernel::active().name(),
        kernel * 1e9 / ROWS as f64,
        unsigned / kernel,
        signed / kernel
    );
}
