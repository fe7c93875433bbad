//! Sequential tests.

use everymove_arena::stats::{Counts, Decision, Model, Sprt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// A sequential test, as it is written.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub(super) struct SprtRequest {
    /// Stop once it is decided whether the first engine is ELO1 stronger rather than ELO0; without
    /// a number of games there is no limit
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<String>,
    /// Unit of the Elo of the test [default: logistic]
    #[arg(long, value_name = "MODEL")]
    sprt_model: Option<SprtModel>,
    /// Probability of wrongly accepting ELO1 [default: 0.05]
    #[arg(long, value_name = "P")]
    alpha: Option<f64>,
    /// Probability of wrongly accepting ELO0 [default: 0.05]
    #[arg(long, value_name = "P")]
    beta: Option<f64>,
}

/// The unit of the Elo of a test.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum SprtModel {
    /// Elo's logistic curve.
    Logistic,
    /// The mean score divided by its standard deviation.
    #[value(alias = "normalized")]
    #[serde(alias = "normalized")]
    Normalised,
}

impl From<SprtModel> for Model {
    fn from(model: SprtModel) -> Self {
        match model {
            SprtModel::Logistic => Self::Logistic,
            SprtModel::Normalised => Self::Normalised,
        }
    }
}

impl SprtRequest {
    pub(super) fn plan(&self) -> Result<Option<Sprt>, Error> {
        let Some(text) = &self.sprt else {
            return Ok(None);
        };
        let bad = || {
            let text = everymove_kernel::text::shown(text);
            let message = format!("sprt {text}: expected ELO0,ELO1, two numbers");
            Error::message(Some("sprt"), message)
        };
        let (elo0, elo1) = text.split_once(',').ok_or_else(bad)?;
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| bad());
        let (elo0, elo1) = (number(elo0)?, number(elo1)?);
        let model = self.sprt_model.unwrap_or(SprtModel::Logistic).into();
        let [alpha, beta] = [self.alpha, self.beta].map(|p| p.unwrap_or(0.05));
        let sprt = Sprt::new(elo0, elo1, alpha, beta, model);
        sprt.map(Some).map_err(Error::field("sprt"))
    }
}

/// The state of a sequential test.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct SprtAnswer {
    /// The smaller hypothesis in Elo.
    elo0: f64,
    /// The larger hypothesis in Elo.
    elo1: f64,
    /// The unit of the hypotheses: `logistic` or `normalised`.
    model: String,
    /// The number of results that the test has used: pairs of games, or games where there are no
    /// pairs.
    pub(super) results: u64,
    /// The log-likelihood ratio of the hypotheses.
    llr: f64,
    /// At this ratio `elo0` is accepted.
    lower: f64,
    /// At this ratio `elo1` is accepted.
    upper: f64,
    /// `H0` (`elo0` accepted), `H1` (`elo1` accepted) or `continue`.
    decision: &'static str,
}

impl SprtAnswer {
    /// The state of a test after some results.
    pub(super) fn new<C: Counts>(sprt: &Sprt, results: &C) -> Self {
        let ((elo0, elo1), (lower, upper)) = (sprt.hypotheses(), sprt.bounds());
        Self {
            elo0,
            elo1,
            model: sprt.model().to_string(),
            results: results.total(),
            llr: sprt.llr(results),
            lower,
            upper,
            decision: match sprt.decide(results) {
                Decision::H0 => "H0",
                Decision::H1 => "H1",
                Decision::Continue => "continue",
            },
        }
    }
}

impl SprtAnswer {
    /// The decision after some pairs of games, in words.
    pub(super) fn decided(&self) -> String {
        let decision = match self.decision {
            "H1" => "passed: the first engine is stronger by ELO1 rather than by ELO0",
            "H0" => "failed: the first engine is stronger by ELO0 rather than by ELO1",
            _ => "undecided",
        };
        format!("{self} after {} pairs: {decision}\n", self.results)
    }
}

/// The test in one line.
impl std::fmt::Display for SprtAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            elo0,
            elo1,
            model,
            llr,
            lower,
            upper,
            ..
        } = self;
        write!(
            f,
            "SPRT of {elo0} against {elo1} {model} Elo: LLR {llr:+.2} in ({lower:.2}, {upper:.2})"
        )
    }
}
