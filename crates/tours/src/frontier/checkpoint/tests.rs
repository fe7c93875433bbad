//! Layers survive crashes; damage and other questions are refused.

use std::sync::atomic::Ordering;

use everymove_kernel::files::{Memory, seal};
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Run;

use super::super::counted::Width;
use super::*;
use crate::board::{Board, Kind};
use crate::frontier::block::matchings_of;
use crate::frontier::maps::Maps;
use crate::frontier::plan::Plan;
use crate::frontier::pull::Puller;
use crate::frontier::reach::Reach;

/// A layer with blocks of several forms, and its degree vectors.
fn layer() -> (Layer, Vec<Degrees>) {
    let run = Run::serial();
    let plan = Plan::new(
        &Board::knight(6, 7).unwrap(),
        Kind::Open,
        None,
        &everymove_kernel::run::Stop::default(),
    )
    .unwrap();
    let Plan::Meet(meet) = &plan else {
        panic!("two halves")
    };
    let Reach::Meet { common, .. } = Reach::new(&plan, &run).unwrap() else {
        panic!("two halves")
    };
    let maps = Maps::new(u64::MAX);
    let puller = Puller::new(&maps, &run, None);
    let mut layer = Layer::start();
    for (step, after) in meet.common.iter().zip(&common[1..]) {
        layer = puller
            .advance(Width::Bits64, &layer, step, &Arc::new(after.clone()))
            .unwrap()
            .layer;
    }
    let degrees = layer.degrees.to_vec();
    (layer, degrees)
}

fn contents(layer: &Layer) -> Vec<Vec<(u32, u64)>> {
    let block = |i| {
        let mut all = Vec::new();
        layer
            .block(i)
            .for_each(|rank, count: u64| all.push((rank, count)));
        all
    };
    (0..layer.blocks.len()).map(block).collect()
}

#[test]
fn layers_read_back_and_damage_is_refused() {
    let storage = Memory::default();
    let (layer, degrees) = layer();
    let mut checkpoint = Checkpoint::on(Box::new(storage.clone()), "a count").unwrap();
    checkpoint.offer(Phase::First, 3, &layer).unwrap();
    let resume = |checkpoint: &Checkpoint| {
        let mut all = vec![vec![], vec![], vec![], degrees.clone()];
        checkpoint.resume(Phase::First, &mut all, &Run::serial().ram)
    };
    let (step, read) = resume(&checkpoint).unwrap().unwrap();
    assert_eq!((step, read.states, read.sum), (3, layer.states, layer.sum));
    assert_eq!(contents(&read), contents(&layer));
    assert!(read.chunks == layer.chunks);

    let name = "first-0003.layer";
    let mut len = 0;
    storage.damage(name, |bytes| len = bytes.len());
    for at in (0..len).step_by(len / 97) {
        let flip = |bytes: &mut Vec<u8>| bytes[at] ^= 1 << (at % 8);
        storage.damage(name, flip);
        let error = resume(&checkpoint).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
        storage.damage(name, flip);
    }
    assert!(resume(&checkpoint).is_ok());
}

/// Bytes that were changed before the checksums were made are refused, or leave as many states with the same sum: only ranks may be others.
#[test]
fn layers_with_right_checksums_are_checked_for_sense() {
    let storage = Memory::default();
    let (layer, degrees) = layer();
    let mut checkpoint = Checkpoint::on(Box::new(storage.clone()), "a count").unwrap();
    checkpoint.offer(Phase::First, 3, &layer).unwrap();
    let resume = || {
        let mut all = vec![vec![], vec![], vec![], degrees.clone()];
        let resumed = checkpoint.resume(Phase::First, &mut all, &Run::serial().ram);
        resumed.map(|found| found.unwrap().1)
    };
    let name = "first-0003.layer";
    let mut rng = SplitMix64::new(3);
    let mut sound = Vec::new();
    storage.damage(name, |bytes| sound = bytes.clone());
    let mut refused = 0;
    for _ in 0..500 {
        storage.damage(name, |bytes| {
            bytes.clone_from(&sound);
            for _ in 0..=rng.below(3) {
                let at = rng.below(bytes.len() as u64) as usize;
                bytes[at] = [bytes[at] ^ 1 << rng.below(8), 255, 0][rng.below(3) as usize];
            }
            seal(bytes);
        });
        match resume() {
            Ok(read) => {
                let counts = |layer: &Layer| -> Vec<Vec<u64>> {
                    let blocks = contents(layer).into_iter();
                    let counts = |block: Vec<(u32, u64)>| block.into_iter().map(|state| state.1);
                    blocks
                        .map(|block| counts(block).filter(|&n| n > 0).collect())
                        .collect()
                };
                assert_eq!((read.states, read.sum), (layer.states, layer.sum));
                assert_eq!(counts(&read).concat().len(), counts(&layer).concat().len());
                for (block, &degrees) in contents(&read).iter().zip(&degrees) {
                    let most = matchings_of(degrees).unwrap();
                    assert!(block.iter().all(|state| (state.0 as usize) < most));
                }
            }
            Err(error) => {
                assert!(error.to_string().contains(name), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 300, "{refused}");
}

/// Whatever instant the machine dies at, the folder that is left is usable: with the old layer or the new one.
#[test]
fn every_crash_leaves_a_usable_folder() {
    let (layer, degrees) = layer();
    let save = |storage: &Memory| -> Result<(), FrontierError> {
        let mut checkpoint = Checkpoint::on(Box::new(storage.clone()), "a count")?;
        for step in [1, 2] {
            checkpoint.next = Instant::now();
            checkpoint.offer(Phase::Common, step, &layer)?;
        }
        Ok(())
    };
    let whole = Memory::default();
    save(&whole).unwrap();
    let mut found = [0; 3];
    for operations in 0..=whole.operations() {
        let storage = Memory::default();
        storage.crash_after(operations);
        let _ = save(&storage);
        for seed in 0..4 {
            let image = storage.image(seed);
            let checkpoint = Checkpoint::on(Box::new(image), "a count").unwrap();
            let mut all = vec![vec![], degrees.clone(), degrees.clone()];
            let ram = Run::serial().ram;
            match checkpoint.resume(Phase::Common, &mut all, &ram).unwrap() {
                None => found[0] += 1,
                Some((step, read)) => {
                    assert_eq!(contents(&read), contents(&layer));
                    found[step] += 1;
                }
            }
        }
    }
    assert!(found.iter().all(|&n| n > 0), "{found:?}");
}

/// A layer of which a part was saved is completed to the layer that is computed at once.
#[test]
fn a_part_of_a_layer_is_completed() {
    let run = Run::new(2, everymove_kernel::run::Ram::unlimited());
    let plan = Plan::new(
        &Board::knight(7, 8).unwrap(),
        Kind::Closed,
        None,
        &everymove_kernel::run::Stop::default(),
    )
    .unwrap();
    let Plan::Meet(meet) = &plan else {
        panic!("two halves")
    };
    let Reach::Meet { common, .. } = Reach::new(&plan, &run).unwrap() else {
        panic!("two halves")
    };
    let maps = Maps::new(u64::MAX);
    let puller = Puller::new(&maps, &run, None);
    let storage = Memory::default();
    let mut checkpoint = Checkpoint::on(Box::new(storage.clone()), "a count").unwrap();
    let mut layer = Layer::start();
    let mut parts = 0;
    for (number, (step, after)) in (1..).zip(meet.common.iter().zip(&common[1..])) {
        let after = Arc::new(after.clone());
        let whole = puller.advance(Width::Bits64, &layer, step, &after).unwrap();
        let half = after.len().div_ceil(BATCH) / 2;
        // Interrupted after half of the batches.
        let interrupted =
            puller.advance_from::<u64>(&layer, step, Layer::empty(after.clone()), |part| {
                if part.chunks.len() < half || half == 0 {
                    return Ok(());
                }
                checkpoint.next = Instant::now();
                checkpoint.offer_part(Phase::Common, number, &layer, part)?;
                Err(FrontierError::Stopped(everymove_kernel::run::Stopped))
            });
        assert_eq!(interrupted.is_err(), half > 0);
        let part = checkpoint
            .resume_part(Phase::Common, number, &after, &run.ram)
            .unwrap();
        assert_eq!(part.is_some(), half > 0);
        if let Some(part) = part {
            parts += 1;
            let completed = puller
                .advance_from::<u64>(&layer, step, part, |_| Ok(()))
                .unwrap();
            assert!(completed.transitions < whole.transitions);
            assert_eq!(contents(&completed.layer), contents(&whole.layer));
            assert_eq!(
                (completed.layer.states, completed.layer.sum),
                (whole.layer.states, whole.layer.sum)
            );
        }
        layer = whole.layer;
    }
    assert!(parts > 3, "{parts} parts");
    checkpoint.clear().unwrap();
    assert_eq!(
        storage
            .list()
            .unwrap()
            .iter()
            .filter(|name| name.ends_with(".part"))
            .count(),
        0
    );
}

#[test]
fn a_folder_belongs_to_one_question() {
    let storage = Memory::default();
    drop(Checkpoint::on(Box::new(storage.clone()), "8x8 closed tours").unwrap());
    let error = Checkpoint::on(Box::new(storage), "8x8 open tours")
        .map(|_| ())
        .unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("8x8 closed tours") && error.contains("8x8 open tours"),
        "{error}"
    );
}

#[test]
fn a_stopped_count_goes_on() {
    use crate::frontier::{Options, count};
    use crate::question::Question;
    let directory = tempfile::tempdir().unwrap();
    let options = Options {
        checkpoint: Some(directory.path().to_owned()),
        ..Options::default()
    };
    let board = Board::knight(6, 7).unwrap();
    let question = Question::new(board, Kind::Open);
    let whole = count(&question, &Options::default(), &Run::serial()).unwrap();
    let run = Run::serial();
    let watched = run.clone();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let is_early = || {
                let now = watched.progress.snapshot();
                now.phase != "counting tours" || now.done < 8
            };
            while is_early() && !done.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            watched.stop.raise();
        });
        assert!(matches!(
            count(&question, &options, &run),
            Err(FrontierError::Stopped(_))
        ));
        done.store(true, Ordering::Relaxed);
    });
    let resumed = count(&question, &options, &Run::serial()).unwrap();
    assert_eq!(resumed.undirected, whole.undirected);
    assert!(resumed.work.get("transitions") < whole.work.get("transitions"));
    let left = std::fs::read_dir(directory.path()).unwrap();
    let layers = left.filter(|f| {
        f.as_ref()
            .unwrap()
            .path()
            .extension()
            .is_some_and(|e| e == "layer")
    });
    assert_eq!(layers.count(), 0);
}
