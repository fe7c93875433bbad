//! Every form and width reads back.

use everymove_kernel::rng::SplitMix64;

use super::*;

#[test]
fn every_form_and_width_reads_back() {
    let mut rng = SplitMix64::new(5);
    let mut builder = Builder::default();
    let mut words = Vec::new();
    let mut expected: Vec<Vec<u128>> = Vec::new();
    for width in [1, 2, 4, 8, 16] {
        for (len, share) in [
            (1, 1),
            (3, 2),
            (15, 1),
            (105, 1),
            (945, 2),
            (945, 5),
            (945, 300),
        ] {
            let top = if width == 16 {
                // The sum of all counts of a layer has to fit 128 bits.
                u128::MAX >> 13
            } else {
                (1 << (8 * width)) - 1
            };
            let counts: Vec<u128> = (0..len)
                .map(|i| match (i, rng.below(share)) {
                    (0, _) => top,
                    (_, 0) => rng.below_u128(top) + 1,
                    _ => 0,
                })
                .collect();
            let mut sums = counts.clone();
            builder.take(&mut sums, &mut words).unwrap();
            assert!(sums.iter().all(|&c| c == 0));
            expected.push(counts);
        }
    }
    builder.take(&mut [0u64; 15], &mut words).unwrap();
    let empty = builder.blocks.len() - 1;
    let layer = Layer {
        degrees: Arc::default(),
        blocks: builder.blocks,
        chunks: vec![builder.chunk],
        states: builder.states,
        sum: 0,
        held: vec![],
        class: None,
    };
    let forms: std::collections::HashSet<_> = layer
        .blocks
        .iter()
        .map(|b| format!("{:?}{}", b.form, b.width))
        .collect();
    assert!(forms.len() >= 12, "{forms:?}");
    for (i, counts) in expected.iter().enumerate() {
        let mut seen = vec![0; counts.len()];
        layer
            .block(i)
            .for_each(|rank, count: u128| seen[rank as usize] = count);
        assert_eq!(&seen, counts);
        let mut seen = vec![0; counts.len()];
        layer.block(i).visit(|mut states| {
            for end in [1, 2, 64, 65, 100, 192, 193, 300, 301, u32::MAX] {
                states.below(end, |rank, count: u128| {
                    assert!(rank < end);
                    seen[rank as usize] += count;
                });
                let done = counts.iter().take(end as usize).copied();
                let all = counts.len().min(end as usize);
                assert!(done.eq(seen[..all].iter().copied()), "{end}");
            }
        });
        assert_eq!(&seen, counts);
        for (rank, &count) in counts.iter().enumerate() {
            assert_eq!(layer.block(i).get(rank as u32), count);
        }
    }
    assert!(layer.block(empty).is_empty());
    assert_eq!(layer.block(empty).get(3), 0);
}
