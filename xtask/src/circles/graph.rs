//! Strongly connected components.

use std::collections::BTreeSet;
use std::fmt;

use super::Needs;
use super::modules::Files;

/// Files that need each other.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Circle {
    /// The files, relative to the folder of sources.
    pub(crate) files: Vec<String>,
    /// The directories that they count to.
    pub(crate) directories: BTreeSet<String>,
    /// `a -> b (names)` for every two files of the circle of which one needs the other.
    pub(crate) arrows: Vec<String>,
}

impl Circle {
    /// Whether the files are in more than one directory.
    pub(crate) fn is_wide(&self) -> bool {
        self.directories.len() > 1
    }
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} files need each other:", self.files.len())?;
        for arrow in &self.arrows {
            write!(f, "\n    {arrow}")?;
        }
        Ok(())
    }
}

/// The circles of a graph, the largest first.
pub(super) fn circles(files: &Files, needs: &Needs) -> Vec<Circle> {
    let reached: Vec<BTreeSet<usize>> = (0..files.len()).map(|from| reach(from, needs)).collect();
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    let mut circles = Vec::new();
    for from in 0..files.len() {
        if !reached[from].contains(&from) || seen.contains(&from) {
            continue;
        }
        let members: Vec<usize> = (0..files.len())
            .filter(|&to| reached[from].contains(&to) && reached[to].contains(&from))
            .collect();
        seen.extend(&members);
        let arrows = needs
            .iter()
            .filter(|((a, b), _)| members.contains(a) && members.contains(b))
            .map(|(&(a, b), names)| {
                let names = names.join(", ");
                format!("{} -> {} ({names})", files[a].path, files[b].path)
            });
        circles.push(Circle {
            files: members.iter().map(|&i| files[i].path.clone()).collect(),
            directories: members
                .iter()
                .map(|&i| files[i].directory.clone())
                .collect(),
            arrows: arrows.collect(),
        });
    }
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.files.len()));
    circles
}

/// The files that `from` needs, directly or not; itself only if it is on a circle.
fn reach(from: usize, needs: &Needs) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for (&(_, to), _) in needs.range((at, 0)..(at + 1, 0)) {
            if reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}
