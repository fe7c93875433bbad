//! The words of a sequential test.

use everymove_arena::stats::{Model, Sprt};

use crate::failure::Failure;

/// A sequential test, in words.
#[derive(Debug, clap::Args)]
pub(super) struct SprtArgs {
    /// Stop once it is decided whether the first engine is ELO1 stronger rather than ELO0
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<String>,
    /// Unit of the Elo of --sprt: logistic or normalised
    #[arg(long, value_name = "MODEL", default_value = "logistic")]
    sprt_model: String,
    /// Probability of wrongly accepting ELO1
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    alpha: f64,
    /// Probability of wrongly accepting ELO0
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    beta: f64,
}

impl SprtArgs {
    pub(super) fn plan(&self) -> Result<Option<Sprt>, Failure> {
        let model: Model = self.sprt_model.parse().map_err(Failure::input)?;
        let Some(text) = &self.sprt else {
            return Ok(None);
        };
        let bad = || Failure::Input(format!("--sprt {text}: expected ELO0,ELO1, two numbers"));
        let (elo0, elo1) = text.split_once(',').ok_or_else(bad)?;
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| bad());
        let sprt = Sprt::new(number(elo0)?, number(elo1)?, self.alpha, self.beta, model);
        sprt.map(Some).map_err(Failure::input)
    }
}
