//! The ways to solve a problem, among them those of the class room.

use everymove_kernel::run::{Bytes, Work};
use everymove_pegs::{
    Keys, Order, Problem, Search, SearchEnd, Shortest, ShortestCount, Verdict, Want, WinningSet,
    search, solve,
};

use super::failure;
use crate::failure::Failure;
use crate::session::Session;

/// The method in words.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Method")]
pub(crate) struct MethodArgs {
    /// auto; layers (the winning set); dfs (depth first, nothing remembered); dfs-set (with the set of positions that
    /// failed); dfs-canonical (the same, images under symmetries being one)
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    method: String,
    /// Depth first: the order in which jumps are tried: rows, rows-reversed, directions or random:SEED
    #[arg(long, value_name = "ORDER")]
    order: Option<String>,
    /// Depth first: every position this many jumps from the start is a job for a thread; 1 deals out the first jumps
    #[arg(long, value_name = "JUMPS")]
    split: Option<u32>,
    /// Depth first: memory for positions that failed [default: 64M]
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,
    /// Depth first: give up after about this many positions
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

/// How to solve.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Method {
    /// Whatever answers soonest.
    Auto(Want),
    /// The winning set.
    Layers(Want),
    /// Depth first.
    Search(Search),
}

/// A verdict and what it cost.
pub(crate) struct Solution {
    pub(crate) verdict: Verdict,
    pub(crate) shortest: Option<ShortestCount>,
    pub(crate) work: Work,
}

/// Prefixes of more jumps than this are more than any machine has threads.
const MAX_SPLIT: u32 = 8;

impl MethodArgs {
    pub(crate) fn plan(&self, shortest: bool) -> Result<Method, Failure> {
        let want = if shortest { Want::Shortest } else { Want::Any };
        let keys = match self.method.as_str() {
            "auto" => return self.without_search(Method::Auto(want)),
            "layers" => return self.without_search(Method::Layers(want)),
            "dfs" => Keys::None,
            "dfs-set" => Keys::Raw,
            "dfs-canonical" => Keys::Canonical,
            text => {
                return Err(Failure::Input(format!(
                    "'{text}' is not a method: expected auto, layers, dfs, dfs-set or dfs-canonical"
                )));
            }
        };
        if shortest {
            let line = "a depth-first search does not find the fewest moves: leave out --method, or --shortest";
            return Err(Failure::Input(line.into()));
        }
        let usual = Search::default();
        let split_depth = self.split.unwrap_or(usual.split_depth);
        if split_depth > MAX_SPLIT {
            return Err(Failure::Input(format!(
                "cannot split after {split_depth} jumps: expected at most {MAX_SPLIT}"
            )));
        }
        let order = self.order.as_deref().map(str::parse::<Order>).transpose();
        let memory = self.memory.as_deref().map(str::parse::<Bytes>).transpose();
        Ok(Method::Search(Search {
            order: order.map_err(Failure::input)?.unwrap_or(usual.order),
            keys,
            memory: memory
                .map_err(Failure::input)?
                .map_or(usual.memory, |bytes| bytes.0),
            split_depth,
            limit: self.limit.unwrap_or(usual.limit),
        }))
    }

    fn without_search(&self, method: Method) -> Result<Method, Failure> {
        let given = [
            ("--order", self.order.is_some()),
            ("--split", self.split.is_some()),
            ("--memory", self.memory.is_some()),
            ("--limit", self.limit.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(method),
            Some((option, _)) => Err(Failure::Input(format!(
                "{option} belongs to a depth-first search: expected --method dfs, dfs-set or dfs-canonical with it"
            ))),
        }
    }
}

impl Method {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Auto(_) => "auto",
            Self::Layers(_) => "layers",
            Self::Search(search) => match search.keys {
                Keys::None => "dfs",
                Keys::Raw => "dfs-set",
                Keys::Canonical => "dfs-canonical",
            },
        }
    }

    pub(crate) fn solve(&self, problem: &Problem, session: &Session) -> Result<Solution, Failure> {
        let failed = |error| failure(error, "");
        session.work(|run| match self {
            Self::Auto(want) => {
                let answer = solve(problem, *want, run).map_err(failed)?;
                Ok(Solution {
                    verdict: answer.verdict,
                    shortest: answer.shortest.filter(|_| *want == Want::Shortest),
                    work: answer.work,
                })
            }
            Self::Layers(want) => {
                let set = WinningSet::new(problem, run).map_err(failed)?;
                let shortest = match want {
                    Want::Any => None,
                    Want::Shortest => Shortest::new(&set, run).map_err(failed)?,
                };
                let jumps = match &shortest {
                    Some(shortest) => Some(shortest.solution()),
                    None => set.solution(),
                };
                let count = shortest.map(|shortest| shortest.count(run)).transpose();
                Ok(Solution {
                    verdict: jumps.map_or(Verdict::Exhaustion, Verdict::Solution),
                    shortest: count.map_err(failed)?,
                    work: set.work().clone(),
                })
            }
            Self::Search(how) => {
                let found = search(problem, how, run).map_err(failed)?;
                let verdict = match found.end {
                    SearchEnd::Solution(jumps) => Verdict::Solution(jumps),
                    SearchEnd::Exhausted => Verdict::Exhaustion,
                    SearchEnd::GaveUp => {
                        let refused = match found.refused {
                            0 => String::new(),
                            n => {
                                format!("; the memory was full and refused {n}: give --memory more")
                            }
                        };
                        return Err(Failure::resource(format!(
                            "gave up after {} positions{refused}",
                            found.nodes
                        )));
                    }
                };
                Ok(Solution {
                    verdict,
                    shortest: None,
                    work: found.work,
                })
            }
        })
    }
}
