//! `everymove tours count`: how many tours there are.

use everymove_api::tours::{
    CountAnswer, CountRequest, EstimateAnswer, EstimateRequest, Layers, WayEstimate,
};
use everymove_draw::terminal;
use everymove_kernel::run::Bytes;

use super::show;
use crate::answer::{self, Outcome, Text, ask};
use crate::failure::Failure;
use crate::session::Session;

/// The arguments of a count.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CountArgs {
    #[command(flatten)]
    request: CountRequest,
    /// Print what the count by frontier will take, and stop
    #[arg(long, conflicts_with_all = ["by_start", "classes", "method"])]
    estimate: bool,
}

pub(crate) fn run(args: &CountArgs, session: &Session) -> Result<Outcome, Failure> {
    let CountArgs { request, estimate } = args;
    if *estimate {
        return self::estimate(request, session);
    }
    let advice = match (&request.checkpoint, &request.work) {
        (Some(_), _) => "the same command resumes from the checkpoint",
        (None, Some(_)) => "the same command resumes from the layers that are in files",
        (None, None) => "with --checkpoint DIR a long count can be resumed",
    };
    let answer = ask(request, session).map_err(|failure| failure.advise_if_stopped(advice))?;
    answer::show::<CountRequest>(&answer, &text(&answer), session)
}

fn estimate(request: &CountRequest, session: &Session) -> Result<Outcome, Failure> {
    let request = EstimateRequest {
        question: request.question.clone(),
        start: request.start.clone(),
        work: request.work.clone().or_else(|| request.checkpoint.clone()),
        disk: request.disk.clone(),
    };
    let answer = ask(&request, session)?;
    answer::show::<EstimateRequest>(&answer, &estimate_text(&answer), session)
}

fn estimate_text(answer: &EstimateAnswer) -> Text {
    let kind = answer.question.kind;
    let board = show::board_words(&answer.question.board);
    let mut full = format!(
        "estimate for the {kind} tours of the {board}: {} layers, frontiers of up to {} squares\n",
        answer.layers, answer.slots
    );
    if let Some(smaller) = &answer.extrapolated_from {
        full += &format!("extrapolated from the plan of the {smaller} board\n");
    }
    let mut bare = String::new();
    for way in &answer.ways {
        let WayEstimate {
            layers, classes, ..
        } = way;
        let (word, name) = match (layers, classes) {
            (Layers::Memory, _) => ("memory", "whole layers in memory".to_owned()),
            (Layers::Classes, Some(classes)) => ("classes", format!("{classes} classes in turn")),
            (Layers::Classes, None) => ("classes", "classes in turn".to_owned()),
            (Layers::Disk, _) => ("disk", "layers on disk".to_owned()),
            (Layers::ClassesOnDisk, Some(classes)) => (
                "classes-on-disk",
                format!("{classes} classes in turn on disk"),
            ),
            (Layers::ClassesOnDisk, None) => {
                ("classes-on-disk", "classes in turn on disk".to_owned())
            }
        };
        let (memory, disk) = (Bytes(way.memory), Bytes(way.disk));
        let time = match way.cpu_hours {
            hours if hours < 0.1 => format!("{:.1} CPU-seconds", hours * 3600.0),
            hours => format!("{hours:.1} CPU-hours"),
        };
        full += &format!(
            "{name}: {memory} of memory, {disk} of disk, {:.2e} states, {:.2e} transitions, {time}\n",
            way.states, way.transitions
        );
        bare += &format!("{word} {} {} {:.4}\n", way.memory, way.disk, way.cpu_hours);
    }
    let ram = Bytes(answer.ram);
    full += &match answer.chosen {
        Some(Layers::Memory) => format!("with {ram} of memory: whole layers in memory\n"),
        Some(Layers::Classes) => format!("with {ram} of memory: classes in turn\n"),
        Some(Layers::Disk) => format!("with {ram} of memory: layers on disk\n"),
        Some(Layers::ClassesOnDisk) => {
            format!("with {ram} of memory: classes in turn on disk\n")
        }
        None => format!(
            "with {ram} of memory and {} of disk: none of these\n",
            Bytes(answer.disk)
        ),
    };
    Text { bare, full }
}

pub(crate) fn text(answer: &CountAnswer) -> Text {
    let question = &answer.question;
    let direction = match (&answer.start, answer.directed) {
        (Some(start), _) => format!(" from {start}"),
        (None, true) => ", directed".to_owned(),
        (None, false) => String::new(),
    };
    let board = show::board_words(&question.board);
    let mut full = format!(
        "{} {} tours of the {board}{direction}\n",
        answer.count, question.kind
    );
    if let Some(reason) = &answer.reason {
        full += &format!("{reason}\n");
    }
    match (answer.layers, answer.layer_classes) {
        (Some(Layers::Classes), Some(classes)) => {
            full += &format!("counted in {classes} classes\n");
        }
        (Some(Layers::Disk), _) => full += "counted with layers on disk\n",
        (Some(Layers::ClassesOnDisk), Some(classes)) => {
            full += &format!("counted in {classes} classes with layers on disk\n");
        }
        _ => {}
    }
    if let Some(classes) = &answer.classes {
        full += &format!("{classes} classes under the symmetries of the board");
        if let Some(by) = &answer.by_symmetry {
            full += &format!(
                ": {} asymmetric, {} of binary and {} of quaternary symmetry",
                by.asymmetric, by.binary, by.quaternary
            );
        }
        full.push('\n');
    }
    if let Some(by_start) = &answer.by_start {
        let grid = question.board.grid();
        let cell = |square| by_start.get(&grid.name(square)).cloned();
        let boxes = terminal::boxed(grid, cell);
        full += &format!("directed, from each square:\n{boxes}");
    }
    Text {
        bare: format!("{}\n", answer.count),
        full,
    }
}
