//! Tests of the functions in a session against `setwise-arrow`, `setwise` and the oracle.
#![allow(missing_docs)]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Datum, Int64Array, RecordBatch, StringArray, UInt8Array, UInt64Array,
};
use datafusion::datasource::MemTable;
use datafusion::logical_expr::Volatility;
use datafusion::prelude::{SessionConfig, SessionContext};
use fastrand::Rng;
use setwise::Square;
use setwise::reflection::{Element, OPERATIONS};
use setwise_arrow::{BadFens, Positions, Side, evaluate, rules};
use setwise_check::Operation;

const ROWS: usize = 3000;

const FENS: [&str; 4] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - -",
    "8/8/8/8/8/8/8/8",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
];

struct Table {
    context: SessionContext,
    batch: RecordBatch,
}

/// A table `t` of test data. Columns: sets `s0` to `s4`, the same bits as Int64 in `i0` to `i4`,
/// squares `q0` and `q1`, their names `n0` and `n1`, FENs in `fen`, and sides `side`. All columns
/// except `s4` and `i4` have nulls.
fn table() -> Table {
    let mut random = Rng::with_seed(1);
    let mut columns: Vec<(String, ArrayRef)> = vec![];
    for n in 0..5 {
        let set = |random: &mut Rng| random.u64(..) & random.u64(..) & random.u64(..);
        let sets: UInt64Array =
            (0..ROWS).map(|_| (n == 4 || random.u8(..8) > 0).then(|| set(&mut random))).collect();
        let signed = sets.iter().map(|set| set.map(u64::cast_signed));
        let signed: Int64Array = signed.collect();
        columns.push((format!("s{n}"), Arc::new(sets)));
        columns.push((format!("i{n}"), Arc::new(signed)));
    }
    for n in 0..2 {
        let squares: UInt8Array =
            (0..ROWS).map(|_| (random.u8(..8) > 0).then(|| random.u8(..64))).collect();
        let names: StringArray = squares
            .iter()
            .map(|square| square.map(|n| format!("{}", Square::new(n).unwrap())))
            .collect();
        columns.push((format!("q{n}"), Arc::new(squares)));
        columns.push((format!("n{n}"), Arc::new(names)));
    }
    let fens: StringArray = (0..ROWS).map(|row| (row % 9 != 5).then(|| FENS[row % 4])).collect();
    let sides: StringArray = (0..ROWS)
        .map(|row| (row % 11 != 5).then(|| ["white", "b", "Black", "w"][row % 4]))
        .collect();
    columns.push(("fen".to_owned(), Arc::new(fens)));
    columns.push(("side".to_owned(), Arc::new(sides)));
    let batch = RecordBatch::try_from_iter(columns).unwrap();

    let config = SessionConfig::new().with_target_partitions(1);
    let mut context = SessionContext::new_with_config(config);
    setwise_datafusion::register(&mut context).unwrap();
    // Split the table into several batches.
    let parts = [0, 1, 1700, ROWS].windows(2);
    let parts = parts.map(|of| batch.slice(of[0], of[1] - of[0])).collect();
    let memory = MemTable::try_new(batch.schema(), vec![parts]).unwrap();
    context.register_table("t", Arc::new(memory)).unwrap();
    Table { context, batch }
}

impl Table {
    async fn try_select(&self, what: &str) -> Result<ArrayRef, String> {
        let frame = self.context.sql(what).await.map_err(|error| error.to_string())?;
        let schema = Arc::clone(frame.schema().inner());
        let batches = frame.collect().await.map_err(|error| error.to_string())?;
        let batch = datafusion::arrow::compute::concat_batches(&schema, &batches).unwrap();
        Ok(Arc::clone(batch.column(0)))
    }

    async fn select(&self, what: &str) -> ArrayRef {
        let result = self.try_select(&format!("SELECT {what} FROM t")).await;
        result.unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    async fn error(&self, what: &str) -> String {
        match self.try_select(&format!("SELECT {what} FROM t")).await {
            Ok(array) => panic!("{what}: {array:?}"),
            Err(error) => error,
        }
    }

    fn column(&self, name: &str) -> ArrayRef {
        Arc::clone(self.batch.column_by_name(name).unwrap())
    }

    fn sets(&self, name: &str) -> UInt64Array {
        self.column(name).as_primitive().clone()
    }
}

/// Every operation with every value of its parameter. Sets are passed as UInt64 and as Int64,
/// squares as numbers and as names.
#[tokio::test]
async fn every_operation() {
    let table = table();
    let sets = Positions::read(&table.column("fen"), BadFens::Fail).unwrap().sets();
    for operation in Operation::all().filter(|operation| !operation.info.by_value()) {
        let info = operation.info;
        let (mut numbers, mut others, mut columns) = (vec![], vec![], vec![]);
        if let Some(parameter) = info.parameter() {
            let value = parameter.names()[usize::from(operation.parameter)];
            numbers.push(format!("'{value}'"));
            others.push(format!("'{}'", value.replace('-', "_").to_uppercase()));
        }
        for (n, input) in info.inputs().iter().enumerate() {
            let (number, other) = match input.element() {
                Element::Set => (format!("s{n}"), format!("i{n}")),
                Element::Square => (format!("q{n}"), format!("n{n}")),
                Element::Position => ("fen_sets(fen)".into(), "fen_sets(fen)".into()),
                other => panic!("no columns of {other:?}"),
            };
            columns.push(match input.element() {
                Element::Position => Arc::new(sets.clone()) as ArrayRef,
                _ => table.column(&number),
            });
            numbers.push(number);
            others.push(other);
        }
        let columns: Vec<&dyn Datum> = columns.iter().map(|column| column as &dyn Datum).collect();
        let expected = evaluate(info, operation.parameter, &columns).unwrap();
        assert!(expected.logical_null_count() > 300, "the nulls count");
        for arguments in [numbers, others] {
            let what = format!("{}({})", info.name(), arguments.join(", "));
            assert_eq!(&table.select(&what).await, &expected, "{what}");
        }
    }
}

#[tokio::test]
async fn constants_and_columns_mix() {
    let table = table();
    let by_row = table.select("between('a1', q0)").await;
    let a1 = UInt8Array::new_scalar(0);
    assert_eq!(&by_row, &setwise_arrow::between(&a1, &table.column("q0")).unwrap());

    // Calls whose arguments are all constants.
    for (what, expected) in [
        ("rook_attacks(1, 0)", Some(0x0101_0101_0101_01fe)),
        ("rook_attacks(1, NULL)", None),
        ("rook_attacks(-9223372036854775808, 0)", Some(0x7f80_8080_8080_8080)),
        ("bishop_attacks_from('a1', 0)", Some(0x8040_2010_0804_0200)),
        ("line_through('b2', 'd4')", Some(0x8040_2010_0804_0201)),
        ("ray_attacks('north', 1, 0)", Some(0x0101_0101_0101_0100)),
        ("pawn_attacks('b', 1 << 48)", Some(1 << 41)),
        ("line_attacks_from('rank', 'a1', 4)", Some(6)),
        ("slider_attacks_split(1, 4, 0)['diagonal_attacks']", Some(0x0000_8040_2011_0a00)),
        ("fen_occupied('8/8/8/8/8/8/8/R6k w - -')", Some(0x81)),
        ("as_uint64(-1)", Some(u64::MAX)),
    ] {
        let result = table.try_select(&format!("SELECT {what}")).await.unwrap();
        let result = result.as_primitive::<UInt64Type>();
        assert_eq!(result.iter().collect::<Vec<_>>(), [expected], "{what}");
    }
    // A call with constants is computed once, in the plan.
    let plan = table.context.sql("EXPLAIN SELECT rook_attacks(1, 0) FROM t").await.unwrap();
    let plan = plan.to_string().await.unwrap();
    let folded = format!("UInt64({})", 0x0101_0101_0101_01fe_u64);
    assert!(plan.contains(&folded), "{plan}");
    // A null constant makes every row null.
    assert_eq!(table.select("queen_attacks(s4, NULL)").await.null_count(), ROWS);
}

/// Sets and squares of every type of integer, and dictionaries of them.
#[tokio::test]
async fn every_type_of_number() {
    let table = table();
    let sets = table.select("queen_attacks(s4 & 127, 0)").await;
    let squares = table.select("rook_attacks_from(s4 & 63, 0)").await;
    for of in ["Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"] {
        for of in [of.to_owned(), format!("Dictionary(Int16, {of})")] {
            let set = format!("queen_attacks(arrow_cast(s4 & 127, '{of}'), 0)");
            assert_eq!(&table.select(&set).await, &sets, "{of}");
            let square = format!("rook_attacks_from(arrow_cast(s4 & 63, '{of}'), 0)");
            assert_eq!(&table.select(&square).await, &squares, "{of}");
        }
    }
    let name = "rook_attacks_from(arrow_cast(n0, 'Dictionary(Int8, Utf8)'), s4)";
    assert_eq!(&table.select(name).await, &table.select("rook_attacks_from(q0, s4)").await);
    let whole = table.select("queen_attacks(CAST(s4 AS DECIMAL(20,0)), 0)").await;
    assert_eq!(&whole, &table.select("queen_attacks(s4, 0)").await);
}

#[tokio::test]
async fn helpers() {
    let table = table();
    let counts = table.select("popcount(i0)").await;
    let expected = table.sets("s0").iter().map(|set| set.map(u64::count_ones)).collect::<Vec<_>>();
    assert_eq!(counts.as_primitive::<UInt32Type>().iter().collect::<Vec<_>>(), expected);
    for (what, expected) in
        [("as_int64(s1)", "i1"), ("as_int64(i1)", "i1"), ("as_uint64(i1)", "s1")]
    {
        assert_eq!(&table.select(what).await, &table.column(expected), "{what}");
    }
    let signed = table.select("as_int64(9223372036854775808)").await;
    assert_eq!(signed.as_primitive::<Int64Type>().value(0), i64::MIN);
}

/// FENs of every type of text and bytes, and dictionaries of them.
#[tokio::test]
async fn fens() {
    let table = table();
    let positions = Positions::read(&table.column("fen"), BadFens::Fail).unwrap();
    let sides = table.column("side");
    let (white, black) =
        (positions.slider_attacks(Side::White), positions.slider_attacks(Side::Black));
    let by_side: UInt64Array = (0..ROWS)
        .map(|row| {
            let of = if matches!(row % 4, 0 | 3) { &white } else { &black };
            (sides.is_valid(row) && of.is_valid(row)).then(|| of.value(row))
        })
        .collect();
    let knights = positions.pieces(Side::White, setwise_arrow::Piece::Knight);
    for of in ["Utf8", "LargeUtf8", "Utf8View", "Binary", "LargeBinary", "BinaryView"] {
        for of in [of.to_owned(), format!("Dictionary(Int32, {of})")] {
            let column = format!("arrow_cast(arrow_cast(fen, 'Binary'), '{of}')");
            for (what, expected) in [
                ("fen_sets(#)", Arc::new(positions.sets()) as ArrayRef),
                ("fen_pieces(#, 'w', 'Knight')", Arc::new(knights.clone())),
                ("fen_occupied(#)", Arc::new(positions.occupied())),
                ("fen_side(#, 'black')", Arc::new(positions.side(Side::Black))),
                ("fen_orthogonal(#, 'white')", Arc::new(positions.orthogonal(Side::White))),
                ("fen_diagonal(#, 'b')", Arc::new(positions.diagonal(Side::Black))),
                ("fen_white_to_move(#)", Arc::new(positions.white_to_move())),
                ("fen_slider_attacks(#, 'white')", Arc::new(white.clone())),
                ("fen_slider_attacks(#, side)", Arc::new(by_side.clone())),
                ("fen_attack_maps(#)", Arc::new(positions.attack_maps())),
                ("fen_checks(#)", Arc::new(positions.checks())),
            ] {
                let what = what.replace('#', &column);
                assert_eq!(&table.select(&what).await, &expected, "{what}");
                assert_eq!(&table.select(&format!("try_{what}")).await, &expected, "try_{what}");
            }
            let bad = format!("arrow_cast(arrow_cast('8/8/8 w', 'Binary'), '{of}')");
            let error = table.error(&format!("fen_occupied({bad})")).await;
            assert!(error.contains("fen_occupied: `8/8/8 w`: piece placement: "), "{error}");
        }
    }
    let bad = "CASE WHEN s4 % 2 = 0 THEN fen ELSE '8/8/8 w' END";
    let result = table.select(&format!("try_fen_occupied({bad})")).await;
    for row in 0..ROWS {
        let expected = table.sets("s4").value(row).is_multiple_of(2) && row % 9 != 5;
        assert_eq!(result.is_valid(row), expected);
    }
}

#[tokio::test]
async fn threats() {
    let table = table();
    let positions = Positions::read(&table.column("fen"), BadFens::Fail).unwrap();
    let all = Arc::new(positions.threats(&rules(|_, _| true))) as ArrayRef;
    assert_eq!(all.null_count(), ROWS / 9);
    for what in ["fen_threats(fen)", "try_fen_threats(fen, 'every')"] {
        assert_eq!(&table.select(what).await, &all, "{what}");
    }
    // Only the black king (11) as an attacker of the white knight (2) and rook (6).
    let mut pairs = [0; 12];
    pairs[11] = 0b100_0100;
    let few = positions.threats(&rules(|attacker, victim| pairs[attacker] >> victim & 1 == 1));
    let few = Arc::new(few) as ArrayRef;
    let what = format!("fen_threats(fen, {pairs:?})");
    assert_eq!(&table.select(&what).await, &few);
    // A pawn and a king that defend each other: no published set has a king as a pawn's victim, and
    // one has no threats of kings.
    for (of, expected) in
        [("every", &[0, 10][..]), ("79856", &[10]), ("60144", &[]), ("59808", &[])]
    {
        let threats = format!("unnest(fen_threats('8/8/8/8/8/8/3K4/4P2k w', '{of}'))");
        let query = format!("SELECT t['attacker'] FROM (SELECT {threats} AS t)");
        let attackers = table.try_select(&query).await.unwrap();
        assert_eq!(attackers.as_primitive::<UInt8Type>().values(), expected, "{of}");
    }
}

#[tokio::test]
async fn errors_say_what_and_where() {
    let table = table();
    for (what, message) in [
        ("queen_attacks(s0)", "queen_attacks(queens, occupied) got 1 arguments"),
        (
            "queen_attacks(s0, fen)",
            "`occupied` of `queen_attacks` must be a set of squares: UInt64",
        ),
        ("rook_attacks_from(64, s0)", "rook_attacks_from: `squares`, row 0: 64 is not a square"),
        ("rook_attacks_from('i9', s0)", "`i9` is not a square"),
        ("ray_attacks('up', s0, s1)", "`up` is not a direction: use one of north, north-east"),
        ("ray_attacks(side, s0, s1)", "the direction must be a constant"),
        ("line_attacks_from('row', q0, s1)", "`row` is not a line: use one of rank, file"),
        ("pawn_attacks('red', s0)", "`red` is not a side: use one of white, black"),
        ("fen_pieces(fen, 'w', 'man')", "`man` is not a kind of piece: use one of pawn"),
        ("fen_occupied(s0)", "`fen` of `fen_occupied` must be a FEN or EPD: a string, or bytes"),
        (
            "fen_occupied(arrow_cast(arrow_cast('8/8', 'Binary'), 'FixedSizeBinary(3)'))",
            "`fen` of `fen_occupied` must be a FEN or EPD: a string, or bytes",
        ),
        ("fen_threats(fen, 'few')", "`few` is not a set of pairs: use one of every, 79856, 60144"),
        ("fen_threats(fen, [1, 2])", "a set of pairs has twelve numbers below 4096"),
        ("fen_threats(fen, side)", "the set of pairs must be a constant"),
        ("fen_threats(fen, 'every', 1)", "fen_threats(fen, pairs) got 3 arguments"),
        ("fen_occupied('x\u{1b}[31m')", "fen_occupied: `x\\u{1b}[31m`: piece placement"),
    ] {
        let error = table.error(what).await;
        assert!(error.contains(message), "{what}: {error}");
    }
}

#[test]
fn documented_and_immutable() {
    let functions = setwise_datafusion::functions();
    for operation in OPERATIONS.iter().filter(|operation| !operation.by_value()) {
        let name = operation.name();
        assert!(functions.iter().any(|function| function.name() == name), "{name}");
    }
    for function in &functions {
        assert_eq!(function.signature().volatility, Volatility::Immutable);
        let documentation = function.documentation().unwrap();
        assert!(documentation.description.len() > 15);
        let arguments = documentation.arguments.as_ref().unwrap();
        assert!(arguments.iter().all(|(name, text)| !name.is_empty() && text.len() > 10));
        assert!(documentation.syntax_example.starts_with(function.name()));
    }
}
