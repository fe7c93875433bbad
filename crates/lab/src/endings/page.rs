//! The pages of endings.

use std::collections::BTreeMap;

use everymove_draw::chart::{Axis, ChartError, Lines, Series, lines};
use everymove_draw::chess::diagram;
use everymove_kernel::text::grouped;
use everymove_tables::Metric;
use everymove_tables::stats::{FIFTY_MOVES, SideStats};
use maud::{Markup, PreEscaped, html};

use super::{EndingStatistics, TableStatistics};
use crate::report::{Both, document};

/// What distances of a metric are distances to.
fn goal(metric: Metric) -> &'static str {
    match metric {
        Metric::Mate => "mate",
        Metric::Zeroing => "a capture, a pawn move or mate",
        Metric::MateFifty => "mate under the fifty-move rule",
        Metric::Conversion => "a capture, a promotion or mate",
    }
}

pub(super) fn ending(ending: &EndingStatistics) -> Result<String, ChartError> {
    let mut sections = Vec::new();
    for table in &ending.tables {
        sections.push(section(table, &ending.material.to_string())?);
    }
    let content = html! {
        p { a href="index.html" { "All endings" } }
        h1 { (ending.material) }
        p { "Every legal position is counted, the same position of other squares by symmetry too. Distances are plies: the moves of both sides." }
        @for section in sections { (section) }
    };
    Ok(document(&ending.material.to_string(), &content))
}

fn section(table: &TableStatistics, name: &str) -> Result<Markup, ChartError> {
    let goal = goal(table.metric);
    let title = format!("{name}: positions by plies to {goal}");
    let sides = sides(table);
    let chart = match histogram(title, &sides) {
        None => None,
        Some(chart) => Some(Both::of(|theme| lines(&chart, theme))?),
    };
    Ok(html! {
        h2 { "Plies to " (goal) " (" (table.metric) ")" }
        (counts(&sides, table.metric))
        @if let Some(chart) = chart { (chart.figures()) }
        @if let [first, ..] = &table.longest[..] {
            @let plies = sides.iter().map(|(_, side)| side.longest_win()).max().unwrap_or(0);
            h2 { "Longest wins: " (plies) " plies to " (goal) }
            @if let Some(picture) = diagram(&first.fen) { figure { (PreEscaped(picture)) } }
            @for line in &table.longest {
                p { code { (line.fen) } }
                p {
                    @match line.text() {
                        Some(moves) => (moves),
                        None => "The line is not shown: a table that it leads into is not there.",
                    }
                }
            }
        }
        h2 { (grouped(table.zugzwangs)) " mutual zugzwangs up to symmetry" }
        p { "Positions that one side cannot win if it is to move, and that the other loses if it is to move." }
        @if let [first, ..] = &table.zugzwang_examples[..] {
            @if let Some(picture) = diagram(first) { figure { (PreEscaped(picture)) } }
            @for fen in &table.zugzwang_examples { p { code { (fen) } } }
        }
    })
}

fn sides(table: &TableStatistics) -> [(&'static str, &SideStats); 2] {
    [
        ("White to move", &table.stats.white),
        ("Black to move", &table.stats.black),
    ]
}

/// The name of a class of positions, its number and its longest distance, if it has distances.
type Class = (&'static str, u64, Option<u16>);

/// The classes of positions with one side to move: those beyond the fifty-move rule by themselves.
fn classes(side: &SideStats, metric: Metric) -> Vec<Class> {
    let longest = |map: &BTreeMap<u16, u64>, most: u16| {
        let last = map.range(..=most).next_back();
        last.map(|(&plies, _)| plies)
    };
    let (wins, losses) = (&side.wins, &side.losses);
    let draws = ("draws", side.drawn(), None);
    if metric != Metric::Zeroing {
        return vec![
            ("wins", side.won(), longest(wins, u16::MAX)),
            draws,
            ("losses", side.lost(), longest(losses, u16::MAX)),
        ];
    }
    let (cursed, blessed) = (
        SideStats::beyond_fifty(wins),
        SideStats::beyond_fifty(losses),
    );
    let beyond = |n: u64, map| longest(map, u16::MAX).filter(|_| n > 0);
    vec![
        ("wins", side.won() - cursed, longest(wins, FIFTY_MOVES)),
        ("cursed wins", cursed, beyond(cursed, wins)),
        draws,
        ("blessed losses", blessed, beyond(blessed, losses)),
        (
            "losses",
            side.lost() - blessed,
            longest(losses, FIFTY_MOVES),
        ),
    ]
}

fn counts(sides: &[(&str, &SideStats); 2], metric: Metric) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="counts" {
            table {
                tr { th { "side" } th { "value" } th.n { "positions" } th.n { "share" } th.n { "longest" } }
                @for (name, side) in sides {
                    @for (class, number, longest) in classes(side, metric) {
                        tr {
                            td { (name) }
                            td { (class) }
                            td.n { (grouped(number)) }
                            td.n { (share(number, side.legal)) }
                            td.n { @if let Some(plies) = longest { (plies) " plies" } }
                        }
                    }
                    tr { td { (name) } td { "all" } td.n { (grouped(side.legal)) } td.n {} td.n {} }
                }
            }
        }
    }
}

fn share(number: u64, all: u64) -> String {
    match all {
        0 => String::new(),
        _ => format!("{:.2} %", 100.0 * number as f64 / all as f64),
    }
}

/// Numbers of positions over plies; `None` if there is no win at all.
fn histogram(title: String, sides: &[(&str, &SideStats); 2]) -> Option<Lines> {
    let mut series = Vec::new();
    for (name, side) in sides {
        for (what, counts) in [("wins", &side.wins), ("losses", &side.losses)] {
            let points = counts.iter().filter(|&(_, &n)| n > 0);
            let points: Vec<_> = points
                .map(|(&plies, &n)| (f64::from(plies), (n as f64).into()))
                .collect();
            if !points.is_empty() {
                let name = format!("{what}, {name}");
                series.push(Series { name, points });
            }
        }
    }
    (!series.is_empty()).then(|| Lines {
        title,
        x: Axis::linear("plies"),
        y: Axis::log("positions"),
        series,
    })
}

pub(super) fn index(endings: &[EndingStatistics]) -> String {
    let content = html! {
        h1 { "Endgame tables: " (endings.len()) " endings" }
        p { "Wins and draws of all legal positions, but for dtm50 those beyond the fifty-move rule included; the longest win of either side in plies." }
        div.wide tabindex="0" role="region" aria-label="endings" {
            table {
                tr {
                    th { "ending" } th.n { "men" } th { "metric" }
                    th.n { "White wins, White to move" } th.n { "draws" } th.n { "Black wins, Black to move" } th.n { "draws" }
                    th.n { "cursed wins" } th.n { "longest win" } th.n { "mutual zugzwangs" }
                }
                @for ending in endings {
                    @for table in &ending.tables {
                        @let (white, black) = (&table.stats.white, &table.stats.black);
                        tr {
                            td { a href=(ending.page_name()) { (ending.material) } }
                            td.n { (ending.material.piece_count()) }
                            td { (table.metric) }
                            td.n { (grouped(white.won())) }
                            td.n { (grouped(white.drawn())) }
                            td.n { (grouped(black.won())) }
                            td.n { (grouped(black.drawn())) }
                            td.n {
                                @if table.metric == Metric::Zeroing {
                                    (grouped(SideStats::beyond_fifty(&white.wins) + SideStats::beyond_fifty(&black.wins)))
                                }
                            }
                            td.n { (white.longest_win().max(black.longest_win())) }
                            td.n { (grouped(table.zugzwangs)) }
                        }
                    }
                }
            }
        }
    };
    document("Endgame tables", &content)
}
