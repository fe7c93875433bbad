use std::time::Instant;
use everymove_kernel::run::{Ram, Run};
use everymove_pegs::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let board = Board::named(&a[1]).unwrap();
    let start = board.vacate(board.hole(&a[2]).unwrap());
    let run = Run::new(a.get(3).map_or(1, |x| x.parse().unwrap()), Ram::limited(6<<30));
    let t = Instant::now();
    let r = reach(&board, start, &run);
    match r { Ok(r) => {
    if a.len()>4 { for l in &r.layers { println!("{l:?}"); } }
    println!("{} positions {} jumps {:?} last {} wall {:.3} ram peak {}M", r.positions(), r.work.get("jumps"), r.shortest_game(), board.names_of(r.last_pegs), t.elapsed().as_secs_f64(), run.ram.peak()>>20);
    } Err(e) => println!("{e}") }
}
