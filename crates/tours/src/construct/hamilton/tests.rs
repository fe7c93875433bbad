use super::*;

fn search(graph: &Graph, seed: u64, limit: u64) -> (Outcome, u64) {
    let mut nodes = 0;
    let outcome = cycle(graph, seed, limit, &Stop::default(), &mut nodes).unwrap();
    (outcome, nodes)
}

/// Tries every order of the vertices.
fn brute_force(graph: &Graph) -> bool {
    fn extend(graph: &Graph, path: &mut Vec<usize>) -> bool {
        let last = path[path.len() - 1];
        if path.len() == graph.vertices() {
            let uses = |edge: u32| {
                (0..path.len())
                    .any(|i| graph.between(path[i], path[(i + 1) % path.len()]) == Some(edge))
            };
            return graph.between(last, path[0]).is_some()
                && graph.prescribed.iter().all(|&edge| uses(edge));
        }
        (0..graph.vertices()).any(|next| {
            if path.contains(&next) || graph.between(last, next).is_none() {
                return false;
            }
            path.push(next);
            let found = extend(graph, path);
            path.pop();
            found
        })
    }
    graph.vertices() >= 3 && extend(graph, &mut vec![0])
}

#[test]
fn random_graphs_agree_with_brute_force() {
    let mut rng = SplitMix64::new(11);
    let mut found = 0;
    for round in 0..4000 {
        let n = 1 + rng.below(8) as usize;
        let mut graph = Graph::new(n);
        for u in 0..n {
            for v in 0..u {
                if rng.below(100) < 55 {
                    match rng.below(8) {
                        0 => graph.prescribe(u, v),
                        _ => drop(graph.join(v, u)),
                    }
                }
            }
        }
        let (outcome, _) = search(&graph, round, u64::MAX);
        match &outcome {
            Outcome::Cycle(order) => {
                found += 1;
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..n).collect::<Vec<_>>());
                let used: Vec<_> = (0..n)
                    .map(|i| graph.between(order[i], order[(i + 1) % n]).unwrap())
                    .collect();
                assert!(graph.prescribed.iter().all(|edge| used.contains(edge)));
            }
            Outcome::Nothing => {}
            Outcome::Limit => panic!("no limit was given"),
        }
        assert_eq!(
            matches!(outcome, Outcome::Cycle(_)),
            brute_force(&graph),
            "{graph:?}"
        );
    }
    assert!((500..3500).contains(&found), "{found}");
}

#[test]
fn limits_and_stops_are_obeyed() {
    // Two complete graphs that share a vertex have no cycle, and it takes long to see.
    let mut graph = Graph::new(25);
    for half in [0..13, 12..25] {
        for u in half.clone() {
            for v in half.start..u {
                graph.join(u, v);
            }
        }
    }
    let (outcome, nodes) = search(&graph, 1, 20_000);
    assert!(matches!(outcome, Outcome::Limit));
    assert_eq!(nodes, 20_000);
    let stop = Stop::default();
    stop.raise();
    assert!(cycle(&graph, 1, u64::MAX, &stop, &mut 0).is_err());
}
