//! What a count by classes takes, before it starts.

use everymove_kernel::run::Run;

use crate::frontier::FrontierError;
use crate::frontier::choose::known::{Known, is_measured};
use crate::frontier::choose::scheme::widest;
use crate::frontier::choose::sizes::{Counts, Size, last, layer_sizes, neighbours};
use crate::frontier::classes::tree::ClassSizes;
use crate::frontier::classes::{ClassOptions, Columns};
use crate::frontier::step::plan::{Phase, Phases, Plan};
use crate::frontier::step::weights::branch_weights;
use crate::frontier::vectors::live::{List, Live};
use crate::question::Question;

/// The slots of the keys that are tried: classes become smaller with each, and the layers before
/// them are read more often.
const FEWEST_SLOTS: usize = 5;
const MOST_SLOTS: usize = 9;

/// With more, files are small and many.
const MOST_SLOTS_ON_DISK: usize = 7;

/// The sizes of the layers of a count by classes.
pub(crate) struct ByClasses {
    /// The layers that are counted whole, those of the first half left out.
    pub(crate) whole: Phases<Vec<Size>>,
    pub(crate) classes: ClassSizes,
    pub(crate) root: Size,
    pub(crate) on_disk: bool,
}

impl ByClasses {
    /// For keys of at most `part_slots` slots, or as many as are tried.
    pub(crate) fn new<L: List>(
        plan: &Plan,
        live: &Live<L>,
        part_slots: Option<usize>,
        on_disk: bool,
        run: &Run,
    ) -> Result<Self, FrontierError> {
        run.progress.start("estimating the memory", 0);
        let steps = &plan.steps;
        let most = part_slots.unwrap_or(match on_disk {
            true => MOST_SLOTS_ON_DISK,
            false => MOST_SLOTS,
        });
        let (common, branch) =
            layer_sizes(vec![1.0], &steps.common, &live.common, Counts::Exact, run)?;
        // Beside the weights of a step: those of the common layer and of a half's first, and the
        // sizes of classes.
        let starts = branch.len() + live.first[0].len().max(live.second[0].len());
        let beside = 8 * starts as u64 + ClassSizes::bytes(&steps.first, most);
        let what = "counting: the weights of degree vectors";
        let _beside = run.ram.reserve(what, beside)?;
        let start = branch_weights(live, &branch, Phase::Second, run)?;
        let (second, _) = layer_sizes(start, &steps.second, &live.second, Counts::Exact, run)?;
        let root = common.last().copied().unwrap_or_default();
        let start = branch_weights(live, &branch, Phase::First, run)?;
        let classes = ClassSizes::new(&steps.first, &live.first, most, (root, start), run)?;
        Ok(Self {
            whole: Phases {
                common,
                first: vec![],
                second,
            },
            classes,
            root,
            on_disk,
        })
    }

    /// About the states of all layers.
    pub(crate) fn states(&self) -> f64 {
        let whole = self.whole.each().into_iter().flatten();
        Size::sum(whole).states + self.classes.states()
    }

    /// About the most bytes of layers at once by keys of at most `slots` slots.
    fn bytes(&self, slots: usize) -> f64 {
        let Phases { common, second, .. } = &self.whole;
        let whole = neighbours(common).max(neighbours(second) + self.root.bytes);
        // A file of the common layers is what a count is resumed from.
        let kept = if self.on_disk { self.root.bytes } else { 0.0 };
        whole.max(last(second) + kept + self.classes.bytes_at_once(slots))
    }

    /// The slots of the keys with which the layers fit, or the most that are tried, and the bytes
    /// of layers at once.
    pub(crate) fn slots(
        &self,
        part_slots: Option<usize>,
        key_slots: usize,
        fits: impl Fn(f64) -> bool,
    ) -> (usize, f64) {
        let most = match self.on_disk {
            true => MOST_SLOTS_ON_DISK,
            false => MOST_SLOTS,
        };
        let mut tried = FEWEST_SLOTS.max(key_slots)..most;
        let found = || tried.find(|&slots| fits(self.bytes(slots))).unwrap_or(most);
        let slots = part_slots.unwrap_or_else(found);
        (slots, self.bytes(slots))
    }
}

/// Layers that are known to fit are not estimated: half more than whole layers are known to take,
/// because on boards of few slots classes take up to a quarter less.
pub(crate) fn plenty_for_classes(
    question: &Question,
    options: &ClassOptions,
) -> Option<(usize, f64)> {
    let slots = (options.part_slots).unwrap_or(FEWEST_SLOTS.max(options.key_slots));
    let known = Known::of(question);
    let enough = match widest(question) {
        ..=17 => known.whole + known.whole / 2,
        _ => known.classes,
    };
    let is_known = is_measured(question) && options.columns == Columns::Narrow;
    (is_known && slots >= FEWEST_SLOTS).then_some((slots, enough as f64))
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Ram;

    use super::*;
    use crate::board::{Board, Kind};
    use crate::frontier::choose::need::{ERROR, GAPS};
    use crate::frontier::classes::plan;
    use crate::frontier::vectors::live::Members;

    /// What is taken without an estimate is at least what is estimated, for keys as jobs have them.
    fn is_enough(rows: u32, cols: u32, kind: Kind) {
        let question = Question::new(Board::knight(rows, cols).unwrap(), kind);
        let options = ClassOptions {
            part_slots: Some(FEWEST_SLOTS),
            ..ClassOptions::default()
        };
        let run = Run::new(2, Ram::limited(64 << 30));
        let Some(plan) = plan(&question, &options, &run).unwrap() else {
            return;
        };
        let live: Live<Members> = Live::new(&plan, &run).unwrap();
        let sizes = ByClasses::new(&plan, &live, options.part_slots, false, &run).unwrap();
        let (slots, layers) = sizes.slots(options.part_slots, options.key_slots, |_| true);
        let (taken_slots, taken) = plenty_for_classes(&question, &options).unwrap();
        assert_eq!(slots, taken_slots);
        let estimated = layers * (1.0 + ERROR + GAPS);
        assert!(
            taken >= estimated,
            "{rows}x{cols} {kind}: {taken} {estimated}"
        );
    }

    #[test]
    fn what_is_taken_without_an_estimate_is_enough() {
        for (rows, cols) in [(5, 6), (6, 6), (5, 9), (6, 8), (7, 7), (6, 10)] {
            for kind in [Kind::Open, Kind::Closed] {
                is_enough(rows, cols, kind);
            }
        }
    }
}
