//! The oracle for legal moves: a mailbox on which every move is made.
//!
//! A move is legal if, once it is made, no enemy piece attacks the own king, and for castling if
//! none attacks a square that the king crosses. Pins, checks and en passant need no rules of their
//! own.

use setwise::moves::{GamePosition, Move, State};
use setwise::position::Position;
use setwise::{Piece, Side, Square};

use crate::oracle::{BISHOP, KNIGHT, Place, QUEEN, ROOK, Step, Steps as _, step};

/// A position with a piece or none on each square.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    squares: [Option<(Side, Piece)>; 64],
    side: Side,
    en_passant: Option<Place>,
    /// By side and file: whether the rook there may castle.
    castling: [[bool; 8]; 2],
}

/// A move and its place in the order of `setwise::board::legal_moves`.
type Ordered = ([u8; 4], Move);

impl From<&GamePosition> for Game {
    fn from(position: &GamePosition) -> Game {
        // A square with several pieces is read as by the planes.
        let pieces = Position::from_planes(position.planes()).pieces;
        let piece_on = |place: Place| {
            let sides = [Side::White, Side::Black];
            let mut all = sides.into_iter().flat_map(|side| Piece::ALL.map(|piece| (side, piece)));
            all.find(|(side, piece)| place.is_in(pieces[*side as usize][*piece as usize]))
        };
        let state = position.state;
        Game {
            squares: std::array::from_fn(|number| piece_on(Place::at(number))),
            side: if state.side.is_multiple_of(2) { Side::White } else { Side::Black },
            en_passant: (state.en_passant < 64).then(|| Place::at(state.en_passant.into())),
            castling: state
                .castling
                .map(|files| std::array::from_fn(|file| files >> file & 1 == 1)),
        }
    }
}

impl From<&Game> for GamePosition {
    fn from(game: &Game) -> GamePosition {
        let mut position = Position::default();
        for place in Place::all() {
            if let Some((side, piece)) = game.at(place) {
                position.pieces[side as usize][piece as usize] |= place.alone();
            }
        }
        let files = |files: [bool; 8]| (0..8).map(|file| u8::from(files[file]) << file).sum();
        let state = State {
            side: game.side as u8,
            en_passant: game.en_passant.map_or(64, |place| place.number() as u8),
            castling: game.castling.map(files),
        };
        GamePosition::new(position, state)
    }
}

fn square(place: Place) -> Square {
    Square::new(place.number() as u8).expect("a place on the board")
}

impl Game {
    fn at(&self, place: Place) -> Option<(Side, Piece)> {
        self.squares[place.number()]
    }

    fn put(&mut self, place: Place, piece: Option<(Side, Piece)>) {
        self.squares[place.number()] = piece;
    }

    fn of(&self, side: Side) -> Vec<(Place, Piece)> {
        let own = |place| match self.at(place) {
            Some((of, piece)) if of == side => Some((place, piece)),
            _ => None,
        };
        Place::all().filter_map(own).collect()
    }

    fn kings(&self, side: Side) -> Vec<Place> {
        let kings = self.of(side).into_iter().filter(|(_, piece)| *piece == Piece::King);
        kings.map(|(place, _)| place).collect()
    }

    /// The squares that a piece attacks: up to the first piece in each direction.
    fn attacks(&self, from: Place, side: Side, piece: Piece) -> Vec<Place> {
        let (steps, longest): (Vec<Step>, usize) = match piece {
            Piece::Pawn => (side.steps(), 1),
            Piece::Knight => (KNIGHT.into(), 1),
            Piece::Bishop => (BISHOP.into(), 7),
            Piece::Rook => (ROOK.into(), 7),
            Piece::Queen => (QUEEN.into(), 7),
            Piece::King => (QUEEN.into(), 1),
        };
        let mut found = vec![];
        for step in steps {
            for place in from.walk(step).take(longest) {
                found.push(place);
                if self.at(place).is_some() {
                    break;
                }
            }
        }
        found
    }

    /// The pieces of a side that attack a square.
    fn attackers(&self, target: Place, by: Side) -> usize {
        let attack =
            |(from, piece): &(Place, Piece)| self.attacks(*from, by, *piece).contains(&target);
        self.of(by).iter().filter(|piece| attack(piece)).count()
    }

    fn is_in_check(&self, side: Side) -> bool {
        self.kings(side).into_iter().any(|king| self.attackers(king, side.other()) > 0)
    }

    /// The number of pieces that give check.
    pub fn checks(&self) -> usize {
        self.kings(self.side).into_iter().map(|king| self.attackers(king, self.side.other())).sum()
    }

    fn ahead(&self) -> Step {
        step(0, if self.side == Side::White { 1 } else { -1 })
    }

    /// The rank as the side to move counts it, from 0.
    fn rank(&self, place: Place) -> u8 {
        let rank = if self.side == Side::White { place.rank } else { 7 - place.rank };
        rank.cast_unsigned()
    }

    fn seen(&self, place: Place) -> u8 {
        8 * self.rank(place) + place.file.cast_unsigned()
    }

    /// All moves but castling, whether or not they leave the king attacked.
    fn candidates(&self) -> Vec<Ordered> {
        let mut found = vec![];
        for (from, piece) in self.of(self.side) {
            if piece == Piece::Pawn {
                self.pawn_moves(from, &mut found);
                continue;
            }
            let kind = match piece {
                Piece::King => 4,
                Piece::Knight => 5,
                _ => 6,
            };
            for to in self.attacks(from, self.side, piece) {
                if self.at(to).is_none_or(|(side, _)| side != self.side) {
                    let order = [kind, self.seen(from), self.seen(to), 0];
                    found.push((order, Move::new(square(from), square(to), None)));
                }
            }
        }
        found
    }

    /// The en passant square and that of the pawn to take. A square of another rank, one that is
    /// occupied, and one without a pawn to take allow nothing.
    fn en_passant(&self) -> Option<(Place, Place)> {
        let to = self.en_passant?;
        let taken = to.after(step(0, -self.ahead().north))?;
        let enemy = Some((self.side.other(), Piece::Pawn));
        (self.rank(to) == 5 && self.at(to).is_none() && self.at(taken) == enemy)
            .then_some((to, taken))
    }

    fn pawn_moves(&self, from: Place, found: &mut Vec<Ordered>) {
        let mut push = |kind: u8, to: Place| {
            let [from, seen] = [(square(from), self.seen(from)), (square(to), self.seen(to))];
            if self.rank(to) < 7 {
                found.push(([kind, seen.1, 0, 0], Move::new(from.0, seen.0, None)));
                return;
            }
            let kinds = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];
            for (i, promotion) in (0..).zip(kinds) {
                let order = [kind + 6, seen.1, i, 0];
                found.push((order, Move::new(from.0, seen.0, Some(promotion))));
            }
        };
        let mut walk = from.walk(self.ahead()).take_while(|place| self.at(*place).is_none());
        if let Some(to) = walk.next() {
            push(1, to);
            if self.rank(from) == 1
                && let Some(to) = walk.next()
            {
                push(0, to);
            }
        }
        for to in self.attacks(from, self.side, Piece::Pawn) {
            if self.at(to).is_some_and(|(side, _)| side != self.side) {
                push(if to.file < from.file { 2 } else { 3 }, to);
            }
        }
        if let Some((to, _)) = self.en_passant()
            && self.attacks(from, self.side, Piece::Pawn).contains(&to)
        {
            found.push(([11, self.seen(from), 0, 0], Move::new(square(from), square(to), None)));
        }
    }

    /// Castling, by the rules of Chess960: the squares between are free, and no square from the
    /// king's to its destination is attacked.
    fn castling_moves(&self, found: &mut Vec<Ordered>) {
        let home = |file| Place { file, rank: if self.side == Side::White { 0 } else { 7 } };
        let [king] = self.kings(self.side)[..] else { return };
        if king.rank != home(0).rank {
            return;
        }
        for file in 0..8 {
            let rook = home(file);
            if !self.castling[self.side as usize][usize::from(file.cast_unsigned())]
                || self.at(rook) != Some((self.side, Piece::Rook))
            {
                continue;
            }
            let [king_to, rook_to] = if file > king.file { [6, 5] } else { [2, 3] }.map(home);
            let between = |a: Place, b: Place| {
                let (first, last) = (a.file.min(b.file), a.file.max(b.file));
                (first..=last).map(home).collect::<Vec<_>>()
            };
            let is_free =
                |place: &Place| *place == king || *place == rook || self.at(*place).is_none();
            let free = between(king, king_to).iter().all(is_free)
                && between(rook, rook_to).iter().all(is_free);
            let mut walking = self.clone();
            walking.put(king, None);
            let attacked = |place: Place| walking.attackers(place, self.side.other()) > 0;
            let castles = Move::new(square(king), square(rook), None);
            if free
                && !between(king, king_to).into_iter().any(attacked)
                && !self.after(castles).is_in_check(self.side)
            {
                found.push(([10, file.cast_unsigned(), 0, 0], castles));
            }
        }
    }

    /// The position after a move.
    #[must_use]
    pub fn after(&self, played: Move) -> Game {
        let [from, to] = [played.from(), played.to()].map(|square| Place::at(square.index()));
        let mut after = self.clone();
        after.side = self.side.other();
        after.en_passant = None;
        let rook_of = |place: Place| {
            let side = [0, 7].into_iter().position(|rank| place.rank == rank)?;
            Some((side, usize::from(place.file.cast_unsigned())))
        };
        for (side, file) in [from, to].into_iter().filter_map(rook_of) {
            after.castling[side][file] = false;
        }
        let moved = self.at(from);
        if moved == Some((self.side, Piece::King)) {
            after.castling[self.side as usize] = [false; 8];
            if self.at(to).is_some_and(|(side, _)| side == self.side) {
                let files = if to.file > from.file { [6, 5] } else { [2, 3] };
                let [king_to, rook_to] = files.map(|file| Place { file, rank: from.rank });
                after.put(from, None);
                after.put(to, None);
                after.put(king_to, moved);
                after.put(rook_to, Some((self.side, Piece::Rook)));
                return after;
            }
        }
        let placed = played.promotion().map(|piece| (self.side, piece));
        after.put(from, None);
        after.put(to, placed.or(moved));
        if moved == Some((self.side, Piece::Pawn)) {
            if let Some((square, taken)) = self.en_passant()
                && square == to
            {
                after.put(taken, None);
            }
            let passed = from.after(self.ahead());
            let beside = [-1, 1].map(|east| to.after(step(east, 0)));
            let enemy = Some((self.side.other(), Piece::Pawn));
            if self.rank(from) == 1
                && passed.and_then(|passed| passed.after(self.ahead())) == Some(to)
                && beside.into_iter().flatten().any(|place| self.at(place) == enemy)
            {
                after.en_passant = passed;
            }
        }
        after
    }

    /// The legal moves, in order.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = self.candidates();
        moves.retain(|(_, played)| !self.after(*played).is_in_check(self.side));
        self.castling_moves(&mut moves);
        moves.sort_unstable_by_key(|(order, _)| *order);
        moves.into_iter().map(|(_, played)| played).collect()
    }
}

/// What `setwise::legal_counts` returns for a position: the numbers of moves and checks, or 0 and
/// 255 for some positions that no game can have.
pub fn legal_counts(position: &GamePosition) -> (u8, u8) {
    let game = Game::from(position);
    let kings = Side::BOTH.map(|side| game.kings(side));
    let ([white], [black]) = (&kings[0][..], &kings[1][..]) else { return (0, 255) };
    let distance = (white.file - black.file).abs().max((white.rank - black.rank).abs());
    let pawns = Side::BOTH.into_iter().flat_map(|side| game.of(side));
    let misplaced =
        |(place, piece): (Place, Piece)| piece == Piece::Pawn && matches!(place.rank, 0 | 7);
    let checks = game.checks();
    if distance < 2 || pawns.into_iter().any(misplaced) || checks > 2 {
        return (0, 255);
    }
    (game.legal_moves().len().min(255) as u8, checks as u8)
}

/// The legal moves of a position, in order. There are none if no game can have it.
pub fn legal_moves(position: &GamePosition) -> Vec<Move> {
    match legal_counts(position) {
        (_, 255) => vec![],
        _ => Game::from(position).legal_moves(),
    }
}
