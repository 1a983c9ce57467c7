//! Random boards of any density: pieces of any kind and number on any squares.

use shakmaty::{
    Bitboard, CastlingMode, Chess, Color, FromSetup as _, Piece, Position as _, PositionError,
    Role, Setup, Square,
};

use crate::compare::Comparison;
use crate::peers::{by_shakmaty, by_shakmaty_in_parts, game_position};

/// The number of moves that a `u8` cannot count.
const MANY: usize = 255;

pub fn compare(boards: usize, to: &mut Comparison) {
    let mut random = fastrand::Rng::with_seed(3);
    let (mut left, mut drawn, mut many) = (boards, 0, 0);
    while left > 0 {
        drawn += 1;
        // The crate refuses boards on which the side that has moved is in check.
        let setup =
            if random.u32(..20) == 0 { many_moves(&mut random) } else { board(&mut random) };
        let Some(chess) = setup.and_then(accept) else { continue };
        let legal = by_shakmaty_in_parts(&chess);
        many += usize::from(legal.0.len() >= MANY);
        // Few enough pieces for one list, which must be the same.
        if chess.us().count() <= 8 && legal != by_shakmaty(&chess) {
            to.wrong(&format!("shakmaty's parts differ from its list: {:?}", chess.board()));
        }
        to.push_with(game_position(&chess), &chess, legal);
        left -= 1;
    }
    println!("random boards: {drawn} drawn, {many} with {MANY} moves or more");
}

fn board(random: &mut fastrand::Rng) -> Option<Setup> {
    let mut setup = Setup::empty();
    let squares: Vec<Square> = {
        let mut squares = Square::ALL;
        random.shuffle(&mut squares);
        squares.to_vec()
    };
    setup.turn = if random.bool() { Color::White } else { Color::Black };
    let (us, them) = (setup.turn, !setup.turn);
    let home = |color: Color| if color == Color::White { 0 } else { 56 };
    let mut place = |square: Square, color, role| {
        let free = setup.board.piece_at(square).is_none();
        if free {
            setup.board.set_piece_at(square, Piece { color, role });
        }
        free
    };
    // A king, often on its first rank with rooks that may castle.
    let mut rights = Bitboard::EMPTY;
    for color in Color::ALL {
        let castles = random.bool();
        let king = if castles { home(color) + random.u32(1..7) } else { random.u32(..64) };
        if !place(Square::new(king), color, Role::King) {
            return None;
        }
        if castles {
            let (king, first) = (king - home(color), home(color));
            for rook in [first + random.u32(..king), first + random.u32(king + 1..8)] {
                if random.u32(..4) > 0 && place(Square::new(rook), color, Role::Rook) {
                    rights.add(Square::new(rook));
                }
            }
        }
    }
    // A pawn that has just made two steps, and one beside it.
    let mut en_passant = None;
    if random.u32(..3) == 0 {
        let file = random.u32(..8);
        let ranks = if us == Color::White { [4, 5, 6] } else { [3, 2, 1] };
        let [pawn, passed, from] = ranks.map(|rank| Square::new(8 * rank + file));
        let beside = if file == 0 || file < 7 && random.bool() { file + 1 } else { file - 1 };
        if place(pawn, them, Role::Pawn) {
            place(Square::new(8 * ranks[0] + beside), us, Role::Pawn);
            en_passant = Some([passed, from]);
        }
    }
    let pieces = if random.u32(..10) == 0 { 62 } else { random.usize(..48) };
    let kinds = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    // Some boards have only pieces of few kinds.
    let few = [random.usize(..5), random.usize(..5)];
    let is_mixed = random.bool();
    for &square in squares.iter().take(pieces) {
        let kind = kinds[if is_mixed { random.usize(..5) } else { few[random.usize(..2)] }];
        let is_last = matches!(square.rank() as u32, 0 | 7);
        if en_passant.is_some_and(|squares| squares.contains(&square))
            || kind == Role::Pawn && is_last
        {
            continue;
        }
        place(square, if random.bool() { us } else { them }, kind);
    }
    setup.castling_rights = rights;
    setup.ep_square = en_passant.map(|[passed, _]| passed);
    Some(setup)
}

/// Up to 25 queens on the edge of the board against a king in a corner, whom knights hide from
/// them: sometimes more moves than a byte can count.
fn many_moves(random: &mut fastrand::Rng) -> Option<Setup> {
    let mut setup = Setup::empty();
    setup.turn = if random.bool() { Color::White } else { Color::Black };
    let (us, them) = (setup.turn, !setup.turn);
    let (file, rank) = (random.u32(..2), random.u32(..2));
    let mut put = |file, rank, color, role| {
        setup.board.set_piece_at(Square::new(8 * rank + file), Piece { color, role });
    };
    put(7 * file, 7 * rank, them, Role::King);
    for (inner_file, inner_rank) in [(1 + 5 * file, 7 * rank), (7 * file, 1 + 5 * rank)] {
        put(inner_file, inner_rank, them, Role::Knight);
    }
    put(1 + 5 * file, 1 + 5 * rank, them, Role::Knight);
    let mut free: Vec<Square> =
        Square::ALL.into_iter().filter(|&s| setup.board.piece_at(s).is_none()).collect();
    random.shuffle(&mut free);
    setup.board.set_piece_at(free.pop()?, Piece { color: us, role: Role::King });
    let is_edge = |s: &Square| [s.file() as u32, s.rank() as u32].iter().any(|&n| n == 0 || n == 7);
    for square in free.into_iter().filter(is_edge).take(random.usize(14..=25)) {
        setup.board.set_piece_at(square, Piece { color: us, role: Role::Queen });
    }
    Some(setup)
}

fn accept(setup: Setup) -> Option<Chess> {
    Chess::from_setup(setup, CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .ok()
}
