//! `setwise show FEN`: draws a board and the squares that its sliders attack.

use serde::Serialize;
use setwise::Kernel;
use setwise_positions::{Fen, FenError, Placement, Side, play_moves};

use crate::draw::Drawing;
use crate::failure::Failure;
use crate::kernel::Choice;
use crate::print::{self, hex};

/// The JSON output. The fields of a side have the same names as those of `setwise attacks`.
#[derive(Serialize)]
struct Shown {
    fen: String,
    kernel: &'static str,
    sides: [SideAttacks; 2],
}

#[derive(Serialize)]
struct SideAttacks {
    side: &'static str,
    orthogonal: String,
    diagonal: String,
    occupied: String,
    rook_attacks: String,
    bishop_attacks: String,
    slider_attacks: String,
}

pub(crate) fn run(choice: Choice, text: &str, json: bool) -> Result<(), Failure> {
    let wrong = |error: FenError| Failure::Input(format!("bad FEN: {error}"));
    let text = play_moves(text.as_bytes()).map_err(wrong)?;
    let fen = Fen::parse(&text).map_err(wrong)?;
    let placement = fen.placement();
    if json {
        return print::json(&Shown {
            fen: fen.to_string(),
            kernel: choice.kernel.name(),
            sides: Side::BOTH.map(|side| evaluate(choice.kernel, placement, side)),
        });
    }
    let [white, black] = Side::BOTH.map(|side| {
        let title = format!("{}'s slider attacks", side.name());
        draw(choice.kernel, &title, placement, side)
    });
    let legend = "* attacked square, (p) attacked piece\n";
    print::text(&format!("{}\n{legend}", white.beside(&black)))
}

pub(crate) fn draw(kernel: &Kernel, title: &str, placement: &Placement, side: Side) -> Drawing {
    let attacks = kernel.slider_attacks_one(
        placement.orthogonal(side),
        placement.diagonal(side),
        placement.occupied(),
    );
    Drawing::attacks(title, placement, side, attacks)
}

fn evaluate(kernel: &Kernel, placement: &Placement, side: Side) -> SideAttacks {
    let orthogonal = placement.orthogonal(side);
    let diagonal = placement.diagonal(side);
    let occupied = placement.occupied();
    SideAttacks {
        side: side.name(),
        orthogonal: hex(orthogonal),
        diagonal: hex(diagonal),
        occupied: hex(occupied),
        rook_attacks: hex(kernel.rook_attacks_one(orthogonal, occupied)),
        bishop_attacks: hex(kernel.bishop_attacks_one(diagonal, occupied)),
        slider_attacks: hex(kernel.slider_attacks_one(orthogonal, diagonal, occupied)),
    }
}
