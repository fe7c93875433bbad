//! `tables closure`: the tables that an ending needs.

use everymove_kernel::run::Run;
use everymove_tables::Material;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counts::lines;
use super::source::material;
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// The tables that an ending needs, in the order in which they are built.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct ClosureRequest {
    /// The ending, for example KRPvKR
    pub material: String,
}

/// The checked request.
#[derive(Clone, Debug)]
pub struct ClosurePlan(Material);

/// The tables that an ending needs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClosureAnswer {
    /// The ending.
    pub material: String,
    /// Every ending that play can reach from it, the ending itself last: each comes after those it
    /// leads to.
    pub closure: Vec<String>,
}

impl Request for ClosureRequest {
    const COMMAND: &'static str = "tables closure";
    const IS_SERVED: bool = true;
    type Plan = ClosurePlan;
    type Answer = ClosureAnswer;

    fn plan(&self) -> Result<ClosurePlan, Error> {
        Ok(ClosurePlan(material(&self.material)?))
    }

    fn run(plan: &ClosurePlan, _: &Run) -> Result<ClosureAnswer, Error> {
        let ClosurePlan(material) = plan;
        Ok(ClosureAnswer {
            material: material.to_string(),
            closure: material.closure().iter().map(Material::to_string).collect(),
        })
    }
}

impl Answer for ClosureAnswer {}

impl OnTerminal for ClosureRequest {
    type View = ();

    fn show(_: &ClosurePlan, answer: &ClosureAnswer, (): &()) -> Result<Shown, Error> {
        Ok(Text::same(lines(&answer.closure)).into())
    }
}
