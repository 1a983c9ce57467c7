#!/usr/bin/env python3
"""Replaces look-ups in a real move generator by one call of setwise, and compares the two.

    tools/engine-patch.py CHECKOUT [--rounds 21] [--kernel NAME ...]
    tools/engine-patch.py CHECKOUT --nodes      only compares the node counts

CHECKOUT is a folder with the source of cozy-chess 0.3 (MIT licence): a git checkout, or the source
that cargo has downloaded (~/.cargo/registry/src/*/cozy-chess-0.3.4). The script patches a copy and
leaves the checkout unchanged. It downloads only the crate's own dependency.

The patch changes how the king's moves are generated. The original tests each target square with
look-ups of a bishop and a rook. If there are more than --most targets (default 2), the patch makes
one call of `side_attacks_one` for the other side instead, without the king in the occupancy. Both
programs are compiled for any CPU of the architecture. They count the same nodes from several
positions, in interleaved rounds.

Exit code: 0 done, 1 the node counts differ, 2 the patch does not fit this checkout.
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GENERATOR = 'src/board/movegen/mod.rs'
# Pairs of a text to replace and its replacement.
PATCH = [(
    """        for to in get_king_moves(our_king) & !our_pieces {
            if self.king_safe_on(to) {
                moves |= to.bitboard();
            }
        }
""",
    """        let targets = get_king_moves(our_king) & !our_pieces;
        if targets.len() > MOST_LOOKED_UP {
            moves = targets & !self.attacked_without_king();
        } else {
            for to in targets {
                if self.king_safe_on(to) {
                    moves |= to.bitboard();
                }
            }
        }
"""), (
    """    fn can_castle(""",
    """    /// The squares that the other side attacks if our king is not in the way.
    #[inline(always)]
    fn attacked_without_king(&self) -> BitBoard {
        let us = self.side_to_move();
        let them = [setwise::Side::Black, setwise::Side::White][us as usize];
        let pieces = Piece::ALL.map(|piece| self.colored_pieces(!us, piece).0);
        let occupied = self.occupied() ^ self.colored_pieces(us, Piece::King);
        BitBoard(setwise::Kernel::active().side_attacks_one(them, &pieces, occupied.0).all)
    }

    fn can_castle("""), (
    """mod slider {""",
    """/// Up to this many targets, look-ups are faster.
const MOST_LOOKED_UP: u32 = @MOST@;

mod slider {"""),
]
# The start position, "Kiwipete", an endgame and a middlegame, each with its depth.
POSITIONS = [
    ('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1', 5),
    ('r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1', 4),
    ('8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1', 6),
    ('r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10', 4),
]


def build(folder, source, name, patched, most):
    crate, copy = folder / name / 'perft', folder / name / 'cozy-chess'
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns('target', '.git'))
    manifest = copy / 'Cargo.toml'
    text = manifest.read_text()
    if patched:
        generator = copy / GENERATOR
        code = generator.read_text()
        for old, new in PATCH:
            if code.count(old) != 1:
                print(f'engine-patch.py: the patch does not fit {source / GENERATOR}: there is not '
                      f'one {old.strip().splitlines()[0]!r}', file=sys.stderr)
                sys.exit(2)
            code = code.replace(old, new.replace('@MOST@', str(most)))
        generator.write_text(code)
        text += f'\n[dependencies.setwise]\npath = "{ROOT}"\n'
    # The benchmarks of cozy-chess need crates that perft does not need.
    text = re.sub(r'\[\[bench\]\][^\[]*', '', text)
    text = re.sub(r'\[dev-dependencies[^\[]*', '', text)
    manifest.write_text(text if '[workspace]' in text else text + '\n[workspace]\n')
    (crate / 'src').mkdir(parents=True)
    shutil.copy(source / 'examples/perft.rs', crate / 'src/main.rs')
    # Pins the dependencies to the versions that were tested.
    shutil.copy(ROOT / 'examples/engine/Cargo.lock', crate)
    (crate / 'Cargo.toml').write_text(
        '[package]\nname = "perft"\nedition = "2021"\n'
        '[dependencies]\ncozy-chess = { path = "../cozy-chess", features = ["std"] }\n'
        '[profile.release]\ncodegen-units = 1\n[workspace]\n')
    environment = {k: v for k, v in os.environ.items() if k != 'RUSTFLAGS'}
    target = folder / 'target' / name
    subprocess.run(['cargo', 'build', '--quiet', '--release', '--target-dir', target],
                   cwd=crate, env=environment, check=True)
    return target / 'release/perft'


def count(program, kernel):
    """The node count of each position, and the total time in seconds."""
    nodes, seconds = [], 0.0
    for fen, depth in POSITIONS:
        printed = subprocess.run([program, str(depth), fen], text=True, capture_output=True,
                                 check=True, env=os.environ | {'SETWISE_FORCE_KERNEL': kernel}).stdout
        found = re.fullmatch(r'(\d+) nodes in \S+ \((\d+) nps\)\s*', printed)
        nodes.append(int(found[1]))
        seconds += int(found[1]) / int(found[2])
    return nodes, seconds


def available(program, kernel):
    environment = os.environ | {'SETWISE_FORCE_KERNEL': kernel}
    fen = POSITIONS[2][0]
    return subprocess.run([program, '2', fen], env=environment, capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('checkout', type=Path)
    parser.add_argument('--rounds', type=int, default=21)
    parser.add_argument('--nodes', action='store_true', help='only compare the node counts')
    parser.add_argument('--kernel', nargs='*')
    parser.add_argument('--most', type=int, default=2, help='most targets tested by look-ups')
    arguments = parser.parse_args()
    for needed in GENERATOR, 'examples/perft.rs', 'Cargo.toml':
        if not (arguments.checkout / needed).is_file():
            print(f'engine-patch.py: {arguments.checkout / needed} is missing', file=sys.stderr)
            return 2
    kernels = arguments.kernel or ['avx512-gfni', 'avx512', 'avx2-gfni', 'avx2', 'neon', 'sse2', 'scalar']
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        before = build(folder, arguments.checkout, 'before', False, 0)
        after = build(folder, arguments.checkout, 'after', True, arguments.most)
        looked_up = count(before, '')[0] if arguments.nodes else None
        compared = 0
        for kernel in kernels:
            if not available(after, kernel):
                print(f'{kernel}: not available here')
                continue
            compared += 1
            if arguments.nodes:
                called = count(after, kernel)[0]
                if looked_up != called:
                    print(f'{kernel}: the node counts differ: {looked_up} and {called}')
                    return 1
                print(f'{kernel}: {sum(called)} nodes, all equal', flush=True)
                continue
            rounds = [(count(before, kernel), count(after, kernel)) for _ in range(arguments.rounds)]
            for (looked_up, _), (called, _) in rounds:
                if looked_up != called:
                    print(f'{kernel}: the node counts differ: {looked_up} and {called}')
                    return 1
            ratios = [old / new for (_, old), (_, new) in rounds]
            low, median, high = statistics.quantiles(ratios, n=4)
            fastest = min(old for (_, old), _ in rounds) / min(new for _, (_, new) in rounds)
            print(f'{kernel}: nodes per second / those of look-ups: median {median:.3f} '
                  f'({low:.3f}-{high:.3f}), fastest rounds {fastest:.3f}; '
                  f'{sum(rounds[0][0][0])} nodes, all equal', flush=True)
    if compared < min(2, len(kernels)):
        print(f'engine-patch.py: only {compared} kernels ran', file=sys.stderr)
        return 1
    return 0


sys.exit(main())
