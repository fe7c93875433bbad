use everymove_course::*;
use schedule::Schedule::*;
use std::time::Instant;
fn main() {
    let what = std::env::args().nth(1).unwrap();
    let t = Instant::now();
    if what == "tours" { for (r, c) in [(3,4),(4,4),(4,5),(5,5)] {
        let t = Instant::now();
        let f = tours::serial(&tours::Board::new(r,c));
        println!("{r}x{c} {f:?} {:?}", t.elapsed());
    } }
    if what == "sym" { for n in [5, 7] {
        for moves in [0,1,2] {
        let t = Instant::now();
        let f = symmetric::parallel(n, moves, 1, Static);
        println!("{n} {moves} {:?} {:?} items {}", f.0, t.elapsed(), f.1.len());
        }
        if n < 7 { let t = Instant::now();
        let mut st=0; for p in symmetric::items(n,0) { st+=symmetric::begin_with(n, symmetric::Turning::Tasks, &p).steps; if t.elapsed().as_secs()>20 {break} }
        println!("tasks {st} {:?}", t.elapsed()); }
    } }
    if what == "pegs" {
        use pegs::*; use infeasible::*;
        let b = Board::new("  ooo  /  ooo  /ooooooo/ooo.ooo/ooooooo/  ooo  /  ooo  ", 16);
        println!("{}", b.moves.len());
        for (name, set) in [("none", InfeasibleSet::None), ("1", InfeasibleSet::behind(1)), ("free", InfeasibleSet::lock_free(1<<20))] {
            let t = Instant::now();
            let f = solve(&b, &set, Parallel{threads:1,schedule:Static,depth:0});
            println!("{name} {} {:?} {:?}", f.steps, f.moves.map(|m| m.len()), t.elapsed());
        }
        for threads in [1,2,4,8] { for schedule in [Static, Dynamic(1), Guided] { for depth in [1,2,4,6] {
            let set = InfeasibleSet::behind(1);
            let t = Instant::now();
            let f = solve(&b, &set, Parallel{threads,schedule,depth});
            println!("{threads} {schedule:?} {depth} {} {:?} {:?}", f.steps, f.moves.map(|m| m.len()), t.elapsed());
        }}}
    }
    if what == "boards" {
        use pegs::*; use infeasible::*;
        for (r,c) in [(4,4),(3,6),(4,5),(3,7),(4,6)] { for start in 0..r*c { 
            let rows: Vec<String> = (0..r).map(|i| (0..c).map(|j| if i*c+j==start {'.'} else {'o'}).collect()).collect();
            let rows = rows.join("/");
            for last in [0, r*c/2, start] {
            let b = Board::new(&rows, last);
            let set = InfeasibleSet::behind(1);
            let t = Instant::now();
            let f = solve(&b, &set, Parallel{threads:1,schedule:Static,depth:1});
            if f.log.len()>=2 { println!("{rows} {last} {} {:?} {:?} {:?}", f.steps, f.moves.map(|m| m.len()), t.elapsed(), f.log.iter().map(|i| i.work).collect::<Vec<_>>()); }
            }
        }}
        // positions in the middle of the English game: 6 moves made
        for n in [10,12,14,16] {
        for seed in 0..4u64 {
            let full = "  ooo  /  ooo  /ooooooo/ooo.ooo/ooooooo/  ooo  /  ooo  ";
            let b = Board::new(full, 16);
            let mut st = b.initial; let mut x = seed*7919+13;
            for _ in 0..n { let ms: Vec<_> = b.moves.iter().filter(|[f,o,t]| st&(f|o|t)==f|o).collect(); if ms.is_empty() {break} x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); let [f,o,t]=ms[(x>>33) as usize % ms.len()]; st ^= f|o|t; }
            let b2 = Board{initial: st, ..b.clone()};
            let set = InfeasibleSet::behind(1);
            let t = Instant::now();
            let f = solve(&b2, &set, Parallel{threads:1,schedule:Static,depth:1});
            let mut k=0; let text: String = full.chars().map(|c| if c=='o'||c=='.' { k+=1; if st>>(k-1)&1==1 {'o'} else {'.'} } else {c}).collect();
            println!("{n} {seed} {text} {} {:?} {:?} {:?}", f.steps, f.moves.map(|m| m.len()), t.elapsed(), f.log.iter().map(|i| i.work).collect::<Vec<_>>());
        }}
    }
    if what == "chess" {
        let on = minimax::Version{threads:1,reorders:false,beam:100,deepens:false,has_table:false};
        let vs=[on, minimax::Version{threads:2,..on}, minimax::Version{reorders:true,..on}, minimax::Version{reorders:true,beam:50,..on}, minimax::Version{deepens:true,..on}, minimax::Version{reorders:true,deepens:true,..on},minimax::Version{has_table:true,..on}, minimax::Version{reorders:true,deepens:true,has_table:true,..on}];
        for depth in 1..=4 { for v in vs {
            let t = Instant::now(); let mut nodes=0; let mut scores=vec![];
            for fen in include_str!("../../engine/src/bench.txt").lines().take(20) {
                let p: shakmaty::Chess = fen.parse::<shakmaty::fen::Fen>().unwrap().into_position(shakmaty::CastlingMode::Chess960).unwrap();
                let o = minimax::search(&p, depth, v, Dynamic(1)); nodes+=o.nodes; scores.push(o.score);
            }
            println!("{depth} {v:?} {nodes} {} {:?}", scores.iter().sum::<i32>(), t.elapsed());
        }}
    }
    if what == "leap" { 
        use leapfrog::*;
        let side: usize = std::env::args().nth(2).unwrap().parse().unwrap();
        let bits: Vec<u32> = std::env::args().skip(3).map(|a| 1 << a.parse::<u32>().unwrap()).collect();
        let small = Table::new(side, true, None, Order::Scan, &[]);
        println!("KQK max {} won {}", small.lost.iter().max().unwrap(), small.won.iter().filter(|&&w| w!=0&&w!=255).count());
        let k = Table::new(side, false, None, Order::Scan, &[]);
        println!("KRK max {} won {} lost {}", k.lost.iter().max().unwrap(), k.won.iter().filter(|&&w| w!=0&&w!=255).count(), k.lost.iter().filter(|&&w| w!=0).count());
        for o in [Order::Scan, Order::SubCycles, Order::RootSplitting, Order::Leapfrog] {
            let t = Instant::now();
            let k = Table::new(side, true, Some(&small), o, &bits);
            let cyc = *k.won.iter().filter(|&&w| w!=255).max().unwrap();
            println!("{o:?} cycles {cyc} max {} won {} lost {} misses/pos/cycle {:?} {:?}", k.lost.iter().max().unwrap(), k.won.iter().filter(|&&w| w!=0&&w!=255).count(), k.lost.iter().filter(|&&w| w!=0).count(), k.caches.iter().map(|c| (c.misses() as f64/k.won.len() as f64 / cyc as f64*1000.0).round()/1000.0).collect::<Vec<_>>(), t.elapsed());
        }
    }
    println!("{:?}", t.elapsed());
}
