//! Every command, from JSON to JSON.

use everymove_api::{
    Answer, Envelope, Error, Request, Updates, arena, catalogue, chess, jobs, lab, pegs, tables,
    tours,
};
use everymove_api::{Cost, read};
use everymove_kernel::machine::Meter;
use everymove_kernel::run::Run;
use everymove_kernel::text::nearest;
use pyo3::prelude::*;

use crate::error::raise;
use crate::run::{Frame, work};

type Job = Box<dyn FnOnce(&Run, &mut Updates<'_>) -> Result<String, Error> + Send>;

/// Reads and checks a request.
fn prepare<R: Request + 'static>(json: &str) -> Result<Job, Error>
where
    R::Plan: Send + 'static,
{
    let plan = read::<R>(json)?.plan()?;
    Ok(Box::new(move |run, updates| {
        let meter = Meter::start();
        let answer = R::run_with_updates(&plan, run, updates)?;
        let cost = Cost::now(&answer.work(), &meter);
        serde_json::to_string(&Envelope::of::<R>(answer, cost)).map_err(Error::machine)
    }))
}

macro_rules! by_command {
    ($command:expr, $json:expr; $($request:ty),* $(,)?) => {{
        let known = [$(<$request>::COMMAND),*];
        $(if $command == <$request>::COMMAND {
            return prepare::<$request>($json);
        })*
        unknown($command, &known)
    }};
}

fn unknown(command: &str, known: &[&'static str]) -> Result<Job, Error> {
    let advice = match nearest(command, known.iter().copied()) {
        Some(name) => format!("did you mean {name}?"),
        None => format!("expected one of {}", known.join(", ")),
    };
    let line = format!("there is no command '{command}': {advice}");
    Err(Error::message(None, line))
}

fn job(command: &str, json: &str) -> Result<Job, Error> {
    by_command!(command, json;
        tours::ExistsRequest, tours::FindRequest, tours::CompleteRequest, tours::ListRequest, tours::CountRequest,
        tours::EstimateRequest,
        tours::SampleRequest, tours::RankRequest, tours::UnrankRequest, tours::SymmetricRequest, tours::VerifyRequest,
        pegs::SolveRequest, pegs::CountRequest, pegs::EstimateRequest, pegs::TableRequest, pegs::WinningRequest, pegs::HintRequest,
        pegs::PuzzleRequest, pegs::ReviewRequest, pegs::ReplayRequest, pegs::DrawRequest, pegs::PlayRequest,
        pegs::BoardsRequest,
        tables::BuildRequest, tables::ProbeRequest, tables::VerifyRequest, tables::StatsRequest, tables::ClosureRequest,
        tables::ConvertRequest, tables::CheckRequest, tables::PagesRequest,
        chess::AnalyseRequest, chess::BenchRequest, chess::PositionRequest, chess::MoveRequest, chess::CompareRequest,
        chess::PerftRequest, chess::DatagenRequest, chess::TrainRequest,
        arena::PlayRequest, arena::SpsaRequest, arena::StatsRequest, arena::OpeningsRequest,
        lab::ListRequest, lab::RunRequest,
        jobs::ListRequest, jobs::RunRequest, jobs::CollectRequest,
    )
}

/// Answers a command; request and answer are JSON.
#[pyfunction]
#[pyo3(signature = (command, request, threads=None, ram=None, progress=None, updates=None))]
pub(crate) fn ask(
    py: Python<'_>,
    command: &str,
    request: &str,
    threads: Option<usize>,
    ram: Option<String>,
    progress: Option<Py<PyAny>>,
    updates: Option<Py<PyAny>>,
) -> PyResult<String> {
    let job = py
        .detach(|| job(command, request))
        .map_err(|error| raise(py, &error))?;
    let frame = Frame {
        updates,
        ..Frame::new(threads, ram, progress)
    };
    work(py, &frame, job)
}

/// The JSON Schema of all requests and answers.
#[pyfunction]
pub(crate) fn schema(py: Python<'_>) -> String {
    py.detach(|| catalogue::document().to_string())
}

/// The version of the package.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
