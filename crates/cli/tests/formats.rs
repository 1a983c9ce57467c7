//! Tests `setwise attacks` on records and games. The results must equal those for the same
//! positions as text. Input of an ambiguous or unknown format must be an error.

use crate::common;
#[path = "../../loader/tests/common/kept.rs"]
mod kept;

use std::fs;

use common::{ROOK, START, csv, gzip, in_all_formats, npy, number, setwise, stderr, stdout, write};
use predicates::str::contains;
use setwise::Kernel;
use setwise::position::Position;
use setwise_positions::binpack::{Board, Entry, Move, Writer};
use setwise_positions::{Fen, Piece, Side};
use tempfile::TempDir;

const FENS: [&str; 4] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1",
    "8/8/8/4k3/8/3q4/1B6/4K2R w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
    "3r4/5k2/8/8/1Q6/8/2K5/7b w - - 0 1",
];

const USUAL: &str =
    "line,fen,side,orthogonal,diagonal,occupied,rook_attacks,bishop_attacks,slider_attacks";

/// The first 24 bytes of a record, which hold the pieces.
fn pieces(fen: &str) -> Vec<u8> {
    let fen = Fen::parse(fen.as_bytes()).unwrap();
    let placement = fen.placement();
    let mut bytes = placement.occupied().to_le_bytes().to_vec();
    let pieces = (0..64).filter_map(|square| placement.on(square));
    let codes: Vec<u8> = pieces.map(|(side, piece)| piece as u8 | (side as u8) << 3).collect();
    for pair in codes.chunks(2) {
        bytes.push(pair[0] | pair.get(1).map_or(0, |code| code << 4));
    }
    bytes.resize(24, 0);
    bytes
}

fn king(fen: &str, side: Side) -> u8 {
    let fen = Fen::parse(fen.as_bytes()).unwrap();
    fen.placement().pieces(side, Piece::King).trailing_zeros() as u8
}

fn bullet(fen: &str) -> Vec<u8> {
    let kings = [king(fen, Side::White), king(fen, Side::Black) ^ 0o70];
    [&pieces(fen)[..], &[7, 0, 1], &kings, &[0, 0, 0]].concat()
}

fn marlin(fen: &str) -> Vec<u8> {
    [&pieces(fen)[..], &[64, 0, 1, 0, 7, 0, 1, 0]].concat()
}

/// A move of a game, with its score.
fn play(from: u16, to: u16, score: i16) -> [u8; 4] {
    let ([a, b], [c, d]) = ((from | to << 6).to_le_bytes(), score.to_le_bytes());
    [a, b, c, d]
}

/// A game of four moves: both kings step aside and back. It has the given position and three
/// others.
fn game(fen: &str) -> Vec<u8> {
    let mut bytes = marlin(fen);
    let kings = Side::BOTH.map(|side| u16::from(king(fen, side)));
    bytes.extend(kings.map(|from| play(from, from ^ 1, 7)).as_flattened());
    bytes.extend(kings.map(|from| play(from ^ 1, from, 7)).as_flattened());
    bytes.extend([0; 4]);
    bytes
}

/// All positions in a binary format.
fn all(format: impl Fn(&str) -> Vec<u8>) -> Vec<u8> {
    FENS.iter().flat_map(|fen| format(fen)).collect()
}

/// All positions as text.
fn text() -> Vec<u8> {
    FENS.join("\n").into_bytes()
}

#[track_caller]
fn attacks(arguments: &[&str], input: &[u8]) -> String {
    stdout(&common::attacks(arguments, input).code(0))
}

#[track_caller]
fn write_text(name: &str, arguments: &[&str], input: &[u8]) -> String {
    String::from_utf8(write(name, arguments, input)).unwrap()
}

#[test]
fn records_equal_text() {
    let right = attacks(&[], &text());
    assert_eq!(right.lines().count(), 8);
    for (name, bytes) in [("bullet", all(bullet)), ("marlin", all(marlin))] {
        for arguments in [&[][..], &["--format", name], &["--unbuffered", "--threads=1"]] {
            assert_eq!(attacks(arguments, &bytes), right, "{name} {arguments:?}");
        }
    }
    assert_eq!(attacks(&["--format", "fen"], &text()), right);
    assert_eq!(attacks(&["--format", "epd"], &text()), right);
}

#[test]
fn games_equal_their_positions() {
    // Positions in which both kings can step aside.
    let bytes = [game(FENS[1]), game(FENS[3])].concat();
    let found = attacks(&[], &bytes);
    assert_eq!(found, attacks(&["--format", "viri"], &bytes));
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines.len(), 16);
    for (first, fen) in [(0, FENS[1]), (8, FENS[3])] {
        let right = attacks(&[], fen.as_bytes());
        let number = first / 2 + 1;
        let right = right.replace("\"line\":1,", &format!("\"line\":{number},"));
        assert_eq!(lines[first..first + 2], right.lines().collect::<Vec<_>>());
    }
    assert!(lines[2].contains("8/8/8/4k3/8/3q4/1B6/5K1R b - - 1 1"), "{}", lines[2]);
    assert!(lines[6].contains("8/8/8/5k2/8/3q4/1B6/4K2R b - -"), "{}", lines[6]);
}

/// Compression is detected by the first bytes, not by the file name.
#[test]
fn files_of_several_formats() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("a.bin.gz"), gzip(all(bullet))).unwrap();
    fs::write(path("b.epd"), text()).unwrap();
    fs::write(path("c"), zstd::encode_all(&all(marlin)[..], 1).unwrap()).unwrap();
    let found = attacks(&[&path("a.bin.gz"), &path("b.epd"), &path("c")], b"");
    assert_eq!(found, attacks(&[], &text()).repeat(3));
}

#[test]
fn bad_records_are_reported_and_good_ones_written() {
    let mut bytes = all(bullet);
    bytes[32 + 26] = 9;
    bytes.extend([1; 5]);
    let bullet = ["--format=bullet", "--columns=line"];
    let assert = common::attacks(&bullet, &*bytes).code(2);
    let lines = |lines: &[u64]| {
        lines.iter().map(|n| format!("{{\"line\":{n}}}\n").repeat(2)).collect::<String>()
    };
    assert_eq!(stdout(&assert), lines(&[1, 3, 4]));
    let wrong = "<stdin>: record 2: result: 9 is not 0, 1 or 2\n";
    for message in [
        wrong,
        "<stdin>: record 5: record: it has 5 of 32 bytes\n",
        "bad records: 2 (record 1, result 1)",
        "2 bad records were left out",
    ] {
        assert!(stderr(&assert).contains(message), "{message}");
    }
    let strict = common::attacks(&[&bullet[..], &["--strict"]].concat(), bytes).code(2);
    strict.stdout(lines(&[1])).stderr(contains(wrong));

    let mut game = game(FENS[1]);
    game[32..34].copy_from_slice(&[0, 2]);
    let viri = ["--format=viri", "--columns=line", "--skip-bad"];
    common::attacks(&viri, game).code(0).stderr(contains(
        "<stdin>: position 2: moves: number 1, a1a2: no piece of the side to move is there \
         (of game 1)",
    ));
}

#[test]
fn no_format_is_guessed() {
    let folder = TempDir::new().unwrap();
    // A record that fits bulletformat and marlinformat.
    let mut both = bullet("4k3/8/8/8/8/8/8/K7 w - - 0 1");
    both[24..].copy_from_slice(&[64, 0, 1, 0, 4, 0, 0, 0]);
    let noise = (0..4096_u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8);
    let mut late = all(marlin);
    late[24 + 32] = 65;
    let unknown = "it is not text, and its start does not fit any other format";
    let either = "it can be bulletformat or marlinformat: name the format with --format";
    for (name, bytes, code, message) in [
        ("a.bin", &both, 2, format!("a.bin: {either}")),
        ("a.bullet", &both, 0, "positions: 1".into()),
        ("A.MARLIN", &both, 0, "positions: 1".into()),
        ("a.viri", &both, 2, either.into()),
        ("a.data", &both, 0, "positions: 1".into()),
        ("noise.bullet", &noise.collect(), 2, format!("noise.bullet: {unknown}")),
        ("late.marlin", &late, 2, unknown.into()),
        // One line that is shorter than a record.
        ("short", &b"8/8/8/8/8/8/8/8".to_vec(), 0, "positions: 1".into()),
        ("none", &Vec::new(), 0, "positions: 0".into()),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        setwise().arg("attacks").arg(path).assert().code(code).stderr(contains(message));
    }
    for format in ["--format=bullet", "--format=marlin"] {
        common::attacks(&[format], &*both).code(0).stderr(contains("positions: 1, "));
    }
    let error = "record 2: en passant square: 65";
    common::attacks(&["--format=marlin"], late).code(2).stderr(contains(error));
    let formats = "auto, epd, bullet, marlin, viri, binpack, plain, csv, jsonl, pgn";
    common::attacks(&["--format=gif"], "").code(2).stderr(contains(formats));
}

/// In every format, a position's record has the values of both sides' records.
#[test]
fn one_record_for_a_position() {
    let of_position = ["--record=position"];
    let (sides, whole) = (in_all_formats(&[], &text()), in_all_formats(&of_position, &text()));
    let (sides, whole) = (csv(&sides), csv(&whole));
    assert_eq!(
        whole[0].join(","),
        "line,fen,white_orthogonal,black_orthogonal,white_diagonal,black_diagonal,occupied,\
         white_rook_attacks,black_rook_attacks,white_bishop_attacks,black_bishop_attacks,\
         white_slider_attacks,black_slider_attacks"
    );
    assert_eq!((sides.len(), whole.len()), (9, 5));
    for (pair, row) in sides[1..].chunks(2).zip(&whole[1..]) {
        for (name, value) in whole[0].iter().zip(row) {
            let (side, name) = match name.split_once('_') {
                Some(("white", name)) => (0, name),
                Some(("black", name)) => (1, name),
                _ => (0, *name),
            };
            let at = sides[0].iter().position(|other| *other == name).unwrap();
            assert_eq!(pair[side][at], *value, "{name}");
        }
    }
}

/// Attack maps are correct, and equal in every format of input and output.
#[test]
fn attack_maps() {
    let maps = ["--record=maps"];
    let rows = in_all_formats(&maps, &text());
    let rows = csv(&rows);
    let kinds = ["pawn", "knight", "bishop", "rook", "queen", "king"];
    let names = kinds.iter().map(|kind| format!("{kind}_attacks"));
    let names = names.chain(["attacks".into(), "by_lesser".into()]);
    let names = names.flat_map(|name| ["white", "black"].map(|side| format!("{side}_{name}")));
    let names: Vec<String> = ["line".into(), "fen".into()].into_iter().chain(names).collect();
    assert_eq!(rows[0], names);
    assert_eq!(rows.len(), 1 + FENS.len());
    for (row, fen) in rows[1..].iter().zip(FENS) {
        let fen = Fen::parse(fen.as_bytes()).unwrap();
        let maps = Kernel::active().attack_maps_one(&Position::from(fen.placement()));
        let of_kinds = (0..6).flat_map(|kind| maps.attacks.map(|side| side[kind]));
        let right: Vec<u64> = of_kinds.chain(maps.all).chain(maps.by_lesser).collect();
        let found: Vec<u64> = row[2..].iter().map(|text| number(text)).collect();
        assert_eq!(found, right, "{row:?}");
    }
    for (format, file) in scored() {
        let columns = ["--record=maps", "--columns=score,attacks", &format!("--format={format}")];
        let found = write_text("a.csv", &columns, &file);
        for ((found, row), score) in csv(&found)[1..].iter().zip(&rows[1..]).zip(SCORES) {
            assert_eq!(found[..], [&*score.to_string(), row[14], row[15]], "{format}");
        }
    }
}

const SCORES: [i16; 4] = [-100, i16::MIN, i16::MAX, 0];
const RESULTS: [u8; 4] = [0, 2, 1, 2];

/// The positions with scores and results, in the three binary formats.
fn scored() -> [(&'static str, Vec<u8>); 3] {
    let mut files = [("bullet", Vec::new()), ("marlin", Vec::new()), ("viri", Vec::new())];
    for (i, fen) in FENS.iter().enumerate() {
        let [low, high] = SCORES[i].to_le_bytes();
        let scored = [low, high, RESULTS[i]];
        let mut record = bullet(fen);
        record[24..27].copy_from_slice(&scored);
        files[0].1.extend(record);
        let mut record = marlin(fen);
        record[28..31].copy_from_slice(&scored);
        files[1].1.extend(&record);
        // In a game, the score comes from the move, not from the record.
        record[28..30].copy_from_slice(&[0x55; 2]);
        files[2].1.extend(record);
        // The white king steps aside, or a pawn steps forward.
        let king = u16::from(king(fen, Side::White));
        let (from, to) = if i == 2 { (8, 16) } else { (king, king ^ 1) };
        files[2].1.extend(play(from, to, SCORES[i]));
        files[2].1.extend([0; 4]);
    }
    files
}

#[test]
fn scores_and_results() {
    for (name, file) in scored() {
        let format = format!("--format={name}");
        let rows = (1..).zip(SCORES).zip(RESULTS).map(|((line, score), result)| {
            let row = |side| format!("{score},{line},{side},{result}\n");
            row("white") + &row("black")
        });
        let right = "score,line,side,result\n".to_owned() + &rows.collect::<String>();
        let columns = "--columns=score,line,side,result";
        assert_eq!(write_text("a.csv", &[&format, columns], &file), right, "{name}");
        // Without `--format`, the format is detected. With `--unbuffered`, blocks have one record.
        assert_eq!(write_text("a.csv", &[columns, "--unbuffered"], &file), right, "{name}");
        let position = ["--record=position", "--columns=result,score", &format];
        let right = std::iter::zip(RESULTS, SCORES);
        let right =
            right.map(|(result, score)| format!("{{\"result\":{result},\"score\":{score}}}\n"));
        assert_eq!(write_text("a.jsonl", &position, &file), right.collect::<String>(), "{name}");
        for (rows, record) in [(1, "--record=position"), (2, "--record=side")] {
            let arguments = ["--columns=score,result,line", &format, "--threads=3", record];
            let bytes = write("a.npy", &arguments, &file.repeat(2000));
            let (header, records) = npy(&bytes);
            let fields = "{'descr': [('score', '<i8'), ('result', '<u8'), ('line', '<u8'), ]";
            assert!(header.starts_with(fields));
            assert_eq!(records.len(), 8000 * rows);
            for (i, record) in records.into_iter().enumerate() {
                let at = i / rows;
                let score = i64::from(SCORES[at % 4]).cast_unsigned();
                let right = [score, RESULTS[at % 4].into(), at as u64 + 1];
                assert_eq!(record, right, "{name} {rows}");
            }
        }
        // The default columns do not include score and result.
        let usual = write_text("a.csv", &[&format], &file);
        assert_eq!(usual.lines().next(), Some(USUAL));
    }
}

/// The positions of a game and a broken chunk, in binpack.
#[test]
fn binpack() {
    const RECORDS: &str = "\
        1,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 5,10,2,8\n\
        2,rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 5,3000,2,9\n";
    let fen = Fen::parse(START.as_bytes()).unwrap();
    let mut board = Board::new(fen.placement(), Side::White, [true; 4], None, 0).unwrap();
    let mut writer = Writer::new(Vec::new());
    let (knight, pawn) = (Move::new(6, 21, None), Move::new(52, 36, None));
    writer.push(&Entry::new(board, knight, 10, 1, 8)).unwrap();
    board.play(knight).unwrap();
    writer.push(&Entry::new(board, pawn, -3000, -1, 9)).unwrap();
    let mut file = writer.finish().unwrap();

    let columns = "--columns=line,fen,score,result,ply";
    let arguments = ["--record=position", columns];
    let found = write_text("a.csv", &arguments, &file);
    assert_eq!(found.split_once('\n').unwrap(), ("line,fen,score,result,ply", RECORDS));
    let by_name = write_text("a.csv", &[&arguments[..], &["--format=binpack"]].concat(), &file);
    assert_eq!(by_name, found);
    let fens: Vec<&str> = csv(RECORDS).iter().map(|record| record[1]).collect();
    assert_eq!(attacks(&[], &file), attacks(&[], fens.join("\n").as_bytes()));

    for (options, lines) in [
        (&["--max-score=15"][..], "line\n1\n"),
        (&["--min-ply=9"], "line\n2\n"),
        (&["--every=2"], "line\n1\n"),
        (&["--skip=1"], "line\n"),
        (&["--skip-checks", "--skip-captures"], "line\n1\n2\n"),
        (&["--skip-unscored", "--skip-placeholders", "--keep-en-passant"], "line\n1\n2\n"),
        (&["--simple-eval=1"], "line\n"),
        (&["--soft-early=9", "--soft-early-points=0:0,1:0,2:0,8:0"], "line\n2\n"),
        // Ply 8 is on the line from the last point to (9, 1): at -0.06, and at 3.3.
        (&["--soft-early=9", "--soft-early-points=0:0,1:0,2:0,-8:-17"], "line\n2\n"),
        (&["--soft-early=9", "--soft-early-points=0:0,1:0,2:0,-8:40"], "line\n1\n2\n"),
        (&["--pieces=1,1,1,1,-0.5", "--wld"], "line\n"),
        // Only 32 pieces are wanted, so all of them are kept, and the loss is certain.
        (&["--stockfish", "--min-ply=9", "--soft-early=0", "--pieces=-9,-9,-9,-9,1"], "line\n2\n"),
        (
            &[
                "--stockfish",
                "--min-ply=9",
                "--pieces=-9,-9,-9,-9,1",
                "--soft-early=10",
                "--soft-early-points=0:0,9:0,9:0,9:0",
            ],
            "line\n",
        ),
    ] {
        let arguments = [&["--record=position", "--columns=line"], options].concat();
        assert_eq!(write_text("a.csv", &arguments, &file), lines, "{options:?}");
    }
    let refused = contains("only entries of binpack can be skipped, and this is not binpack");
    common::attacks(&["--min-ply=9"], START).code(2).stderr(refused);
    common::attacks(&["--skip=1.5"], START).code(2).stderr(contains("must be from 0 to 1"));

    let points = contains("not a ply and a probability, such as 6:0.15");
    common::attacks(&["--soft-early-points=1:2,3,4:5,6:7"], START).code(2).stderr(points);

    file.extend(b"BINP\x22\0\0\0");
    file.extend([0; 34]);
    let broken = common::attacks(&["--columns=line"], file.clone()).code(2);
    assert_eq!(stdout(&broken), "{\"line\":1}\n{\"line\":1}\n{\"line\":2}\n{\"line\":2}\n");
    let place = format!("position 3: chunk: number 2, byte {}: 0 pieces", file.len() - 34);
    assert!(stderr(&broken).contains(&place), "{}", stderr(&broken));
    file.truncate(file.len() - 40);
    let broken = common::attacks(&["--columns=line"], file).code(2);
    assert_eq!(stdout(&broken).lines().count(), 4);
    assert!(stderr(&broken).contains("its header is cut short"), "{}", stderr(&broken));
}

/// The options of a row of what Stockfish's trainer keeps.
fn options_of(name: &str) -> Vec<&'static str> {
    let any = ["--skip-unscored", "--skip-placeholders"];
    let (default, random) = ("--pieces=0,0.4,1,1,0.75", "--skip=0.75");
    let filtered = ["--skip-checks", "--skip-captures", "--keep-en-passant"];
    let more: Vec<&str> = match name {
        "simple 500 alone" | "none" => return vec![],
        "default" => return vec!["--stockfish", random],
        "recipe" => vec![
            filtered[0],
            filtered[1],
            filtered[2],
            "--skip=0.90909090909090909",
            "--wld",
            "--min-ply=17",
            "--soft-early=32",
            "--soft-early-points=0:0.025,22:0.05,25.5:0.2,28:0.75",
            "--pieces=0,0.4,1,1,0.8",
        ],
        "filtered" => [&filtered[..], &[default]].concat(),
        "wld" => vec!["--wld", default],
        "random 3" => vec![random, default],
        "early 0" => vec!["--min-ply=1", default],
        "early 25" => vec!["--min-ply=26", default],
        "soft 20" => vec!["--soft-early=20", default],
        "soft 10" => vec!["--soft-early=10", default],
        "soft 1" => vec!["--soft-early=1", default],
        "filtered, simple 500" => [&filtered[..], &["--simple-eval=500", default]].concat(),
        "random 3, flat counts" => vec![random, "--pieces=1,1,1,1,1"],
        "random 3, endgames" => vec![random, "--pieces=1,1,0.2,0.05,0"],
        "random 3, zero counts" => vec![random, "--pieces=0,0,0,0,0"],
        "random 3, negative counts" => vec![random, "--pieces=-1,0.5,1,-1,2"],
        "soft 30, points out of order" => {
            vec!["--soft-early=30", "--soft-early-points=10:0.9,5:0.1,20:2,40:-1", default]
        }
        name => panic!("{name}"),
    };
    [&any[..], &more].concat()
}

/// The options keep as many entries of a sample as Stockfish's trainer.
#[test]
fn as_many_entries_are_kept_as_by_the_trainer() {
    let Some(paths) = kept::sample() else { return };
    let (folder, mut wrong) = (TempDir::new().unwrap(), Vec::new());
    let output = folder.path().join("a.csv");
    for row in kept::rows() {
        let (mut found, seeds) = ([0; 4], row.seeds());
        for seed in 0..seeds {
            let seed = seed.to_string();
            let mut command = setwise();
            command.args(["attacks", "--record=position", "--columns=occupied", "--seed", &seed]);
            command.args(options_of(row.name)).args(&paths).arg("--output").arg(&output);
            command.assert().success();
            for board in fs::read_to_string(&output).unwrap().lines().skip(1) {
                found[kept::group(number(board).count_ones())] += 1;
            }
        }
        wrong.extend(row.check(found.map(|count| count / seeds)).err());
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// These valid files start like JSON and CSV.
#[test]
fn records_are_not_taken_for_text() {
    let brace = "r1bq1rk1/pp2bppp/2n2n2/3p4/8/2NP1NP1/PPP1PP1P/RN1QRBK1 w - - 0 9";
    assert_eq!(marlin(brace)[0], b'{');
    // The ranks are reversed because black is to move.
    let comma = "6kB/p1p5/b1P3r1/1r2p1R1/8/N1p1Q3/6BK/3q4 w - - 8 65";
    for (name, record, fen) in [("marlin", marlin(brace), brace), ("bullet", bullet(comma), comma)]
    {
        let right = attacks(&["--columns=slider_attacks"], fen.as_bytes());
        let found = attacks(&["--columns=slider_attacks"], &record);
        assert_eq!(found, right, "{name}");
    }
}

/// Plain training data, whose scores and results are those of the side to move.
#[test]
fn plain_training_data() {
    let (mut text, mut rows) = (Vec::new(), vec!["line,score,result".to_owned()]);
    for (i, fen) in FENS.iter().enumerate() {
        let [side, sign] = [["w", "1"], ["b", "-1"]][i % 2];
        let fen = fen.replace(" w ", &format!(" {side} "));
        let (score, result) = (i32::from(SCORES[i]), i32::from(RESULTS[i]) - 1);
        let sign: i32 = sign.parse().unwrap();
        let (score, result) = (sign * score, sign * result);
        text.push(format!("fen {fen}\nmove e2e4\nscore {score}\nply {i}\nresult {result}\ne\n"));
        rows.push(format!("{},{},{}", 6 * i + 1, SCORES[i], RESULTS[i]));
    }
    let (text, rows) = (text.concat(), rows.join("\n") + "\n");
    let columns = "--columns=line,score,result";
    for arguments in [&["--format=plain"][..], &[], &["--unbuffered"], &["--threads=1"]] {
        let arguments = [arguments, &["--record=position", columns]].concat();
        let windows = text.replace('\n', "\r\n");
        for text in [&text, &windows, text.trim_end(), &format!("\u{feff}{text}")] {
            let found = write_text("a.csv", &arguments, text.as_bytes());
            assert_eq!(found, rows, "{arguments:?}");
        }
    }
    let bad = text.replacen("move e2e4", "best e2e4", 1).replacen("result 0", "result 7", 1);
    let bad = bad.replacen("score 0", "score x", 1) + "fen 8/8\nscore 1\nresult 0\ne\nfen 8/8\ne\n";
    let errors = stderr(&common::attacks(&["--columns=line"], bad).code(2));
    for error in [
        "<stdin>:2: line: `best` is not fen, move, score, ply, result or e",
        "<stdin>:17: result: `7` is not a number from -1 to 1",
        "<stdin>:21: score: `x` is not a number from -1048576 to 1048576",
        "<stdin>:25: piece placement: 2 ranks instead of 8",
        "positions: 1, bad lines: 5",
    ] {
        assert!(errors.contains(error), "{errors}");
    }
    let missing = "fen 8/8/8/8/8/8/8/8 w - - 0 1\nresult 0\ne\n";
    let error = "<stdin>:1: score: it is missing";
    common::attacks(&[], missing).code(2).stderr(contains(error));
    // Without `e`, a position does not give its values to the next one.
    let values = "score 77\nresult 1\n";
    let good = "{\"line\":4,\"score\":77,\"result\":2}\n";
    let text = format!("{START}\n{values}fen {ROOK}\n");
    for (bad, lines, error) in [
        (format!("fen {text}e\n"), "", "<stdin>:1: line: its position has no `e`"),
        (format!("fen {text}e\n"), "", "<stdin>:4: score: it is missing"),
        (format!("fen {text}{values}e\n"), good, "<stdin>:1: line: its position has no `e`"),
        (format!("fen {text}{values}e\n{values}e\n"), good, "<stdin>:8: piece placement: it"),
    ] {
        let arguments = ["--record=position", columns];
        common::attacks(&arguments, bad).code(2).stdout(lines).stderr(contains(error));
    }
}

#[test]
fn text_has_no_scores() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, bytes: Vec<u8>| fs::write(folder.path().join(name), bytes).unwrap();
    write("a.epd", text());
    write("a.bullet", all(bullet));
    write("none.epd", Vec::new());
    let records = "{\"score\":7}\n".repeat(8);
    let only = "a.epd: --columns: only training data has";
    for (columns, files, code, output, message) in [
        ("line,score", &["a.epd", "-o", "a.csv"][..], 2, "", &*format!("{only} score, and this")),
        ("result,score", &["a.epd"], 2, "", &format!("{only} result, and this is FEN or EPD")),
        ("score,ply", &["a.bullet"], 2, "", "only binpack has ply, and this is bulletformat"),
        ("score", &["a.bullet", "a.epd"], 2, &records, only),
        // An empty file has no positions, so no score is missing.
        ("score", &["a.bullet", "none.epd"], 0, &records, "positions: 4"),
    ] {
        let mut command = setwise();
        command.current_dir(folder.path()).args(["attacks", "--columns", columns]).args(files);
        command.assert().code(code).stdout(output.to_owned()).stderr(contains(message));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "no output file");
    }
}
