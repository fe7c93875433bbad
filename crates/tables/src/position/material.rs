//! Endings: which pieces are on the board.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use everymove_kernel::text::{nearest, shown};

use crate::error::MaterialError;

/// A kind of piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// K
    King,
    /// Q
    Queen,
    /// R
    Rook,
    /// B
    Bishop,
    /// N
    Knight,
    /// P
    Pawn,
}

impl Kind {
    /// All kinds in the order of their numbers.
    pub(crate) const ALL: [Self; 6] = [
        Self::King,
        Self::Queen,
        Self::Rook,
        Self::Bishop,
        Self::Knight,
        Self::Pawn,
    ];
    /// The kinds other than the king, strongest first.
    pub const EXCEPT_KING: [Self; 5] = [
        Self::Queen,
        Self::Rook,
        Self::Bishop,
        Self::Knight,
        Self::Pawn,
    ];
    /// The kinds a pawn can promote to.
    pub const PROMOTIONS: [Self; 4] = [Self::Queen, Self::Rook, Self::Bishop, Self::Knight];

    /// Returns the letter in upper case.
    pub fn letter(self) -> char {
        match self {
            Self::King => 'K',
            Self::Queen => 'Q',
            Self::Rook => 'R',
            Self::Bishop => 'B',
            Self::Knight => 'N',
            Self::Pawn => 'P',
        }
    }
}

/// The pieces of one side without its king, strongest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Army(Vec<Kind>);

impl Army {
    /// Returns the army of these pieces, in any order; kings are ignored.
    pub fn new(pieces: impl IntoIterator<Item = Kind>) -> Self {
        let mut pieces: Vec<_> = pieces.into_iter().filter(|&k| k != Kind::King).collect();
        pieces.sort_unstable();
        Self(pieces)
    }

    /// The pieces without the king, strongest first.
    pub fn pieces(&self) -> &[Kind] {
        &self.0
    }

    /// Number of pawns.
    pub fn pawns(&self) -> usize {
        self.0.iter().filter(|&&k| k == Kind::Pawn).count()
    }

    /// Returns the army without one piece of a kind.
    pub(crate) fn without(&self, kind: Kind) -> Self {
        let mut pieces = self.0.clone();
        if let Some(at) = pieces.iter().position(|&k| k == kind) {
            pieces.remove(at);
        }
        Self(pieces)
    }

    /// Returns the army after a promotion.
    pub(crate) fn promoted(&self, to: Kind) -> Self {
        let pawnless = self.without(Kind::Pawn);
        Self::new(pawnless.0.into_iter().chain([to]))
    }

    fn strength(&self) -> (usize, Vec<std::cmp::Reverse<Kind>>) {
        (
            self.0.len(),
            self.0.iter().map(|&k| std::cmp::Reverse(k)).collect(),
        )
    }
}

impl fmt::Display for Army {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "K")?;
        self.0.iter().try_for_each(|k| write!(f, "{}", k.letter()))
    }
}

/// The wins of one side: the attacker's pieces and the defender's.
///
/// A table is two halves, one for the wins of each colour. A half has no colours: its attacker's
/// pawns move up the board.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Half {
    /// The side whose wins are computed.
    pub attacker: Army,
    /// The other side.
    pub defender: Army,
}

impl Half {
    /// The ending whose table has this half.
    pub(crate) fn material(&self) -> Material {
        Material::new(self.attacker.clone(), self.defender.clone())
    }

    /// The wins of the other side.
    pub(crate) fn swapped(&self) -> Self {
        Self {
            attacker: self.defender.clone(),
            defender: self.attacker.clone(),
        }
    }
}

impl fmt::Display for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} against {}", self.attacker, self.defender)
    }
}

/// An ending: the pieces of both sides, the stronger side (more pieces, then stronger pieces) as
/// White.
///
/// ```
/// use everymove_tables::Material;
///
/// let material: Material = "KvKR".parse()?;
/// assert_eq!(material.to_string(), "KRvK");
/// assert_eq!(material.piece_count(), 3);
/// # Ok::<(), everymove_tables::MaterialError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Material {
    white: Army,
    black: Army,
}

/// The largest number of pieces of a table, kings included.
pub const MAX_PIECES: usize = 6;

impl Material {
    /// Returns the ending of two armies, the stronger as White.
    pub fn new(one: Army, other: Army) -> Self {
        if other.strength() > one.strength() {
            Self {
                white: other,
                black: one,
            }
        } else {
            Self {
                white: one,
                black: other,
            }
        }
    }

    /// White's pieces without the king.
    pub fn white(&self) -> &Army {
        &self.white
    }

    /// Black's pieces without the king.
    pub fn black(&self) -> &Army {
        &self.black
    }

    /// Number of pieces, kings included.
    pub fn piece_count(&self) -> usize {
        2 + self.white.0.len() + self.black.0.len()
    }

    /// Whether there are pawns.
    pub fn has_pawns(&self) -> bool {
        self.white.pawns() + self.black.pawns() > 0
    }

    /// Whether both sides have the same pieces, so that the halves are alike.
    pub fn is_symmetric(&self) -> bool {
        self.white == self.black
    }

    /// Returns the halves of the table: White's wins, then Black's unless the material is
    /// symmetric. A bare king has no wins and no half.
    pub fn halves(&self) -> Vec<Half> {
        let mut halves = vec![Half {
            attacker: self.white.clone(),
            defender: self.black.clone(),
        }];
        if !self.is_symmetric() && !self.black.0.is_empty() {
            halves.push(halves[0].swapped());
        }
        halves
    }

    /// Returns the endings that one capture, one promotion or both lead to, without the ending of
    /// two bare kings.
    pub fn children(&self) -> BTreeSet<Self> {
        let mut children = BTreeSet::new();
        for (mover, other) in [(&self.white, &self.black), (&self.black, &self.white)] {
            let mut movers = vec![mover.clone()];
            if mover.pawns() > 0 {
                movers.extend(Kind::PROMOTIONS.iter().map(|&k| mover.promoted(k)));
            }
            let mut others = vec![other.clone()];
            others.extend(other.0.iter().map(|&k| other.without(k)));
            for mover in &movers {
                for other in &others {
                    children.insert(Self::new(mover.clone(), other.clone()));
                }
            }
        }
        children.remove(self);
        children.retain(|child| child.piece_count() > 2);
        children
    }

    /// Returns every ending that play can reach from this one, this one included, in topological
    /// order: fewest pieces first, then fewest pawns.
    pub fn closure(&self) -> Vec<Self> {
        let mut found = BTreeSet::new();
        let mut open = vec![self.clone()];
        while let Some(material) = open.pop() {
            if material.piece_count() > 2 && !found.contains(&material) {
                open.extend(material.children());
                found.insert(material);
            }
        }
        let mut closure: Vec<_> = found.into_iter().collect();
        closure.sort_by_key(|m| {
            (
                m.piece_count(),
                m.white.pawns() + m.black.pawns(),
                m.white.clone(),
                m.black.clone(),
            )
        });
        closure
    }

    /// Returns every ending of a number of pieces, kings included.
    pub fn all(pieces: usize) -> Vec<Self> {
        let mut armies: Vec<Army> = vec![Army::default()];
        let mut whole = armies.clone();
        for _ in 2..pieces {
            armies = armies
                .iter()
                .flat_map(|a| Kind::EXCEPT_KING.map(|k| Army::new(a.0.iter().copied().chain([k]))))
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect();
            whole.extend(armies.iter().cloned());
        }
        let mut all = BTreeSet::new();
        for one in &whole {
            for other in &whole {
                if 2 + one.0.len() + other.0.len() == pieces {
                    all.insert(Self::new(one.clone(), other.clone()));
                }
            }
        }
        all.into_iter().collect()
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.white, self.black)
    }
}

impl FromStr for Material {
    type Err = MaterialError;

    /// Reads the name of an ending in any case, the pieces of each side and the sides in any order.
    fn from_str(text: &str) -> Result<Self, MaterialError> {
        let form = || MaterialError::Form {
            text: shown(text),
            suggestion: suggestion(text),
        };
        let upper = text.to_ascii_uppercase();
        let army = |side: &str| -> Result<Army, MaterialError> {
            let kind = |c| match c {
                'K' => Some(Kind::King),
                c => Kind::EXCEPT_KING.into_iter().find(|k| k.letter() == c),
            };
            let kinds: Option<Vec<Kind>> = side.chars().map(kind).collect();
            let kinds = kinds.ok_or_else(form)?;
            let kings = kinds.iter().filter(|&&k| k == Kind::King).count();
            if kings != 1 {
                return Err(form());
            }
            Ok(Army::new(kinds))
        };
        let (one, other) = upper.split_once('V').ok_or_else(form)?;
        let material = Self::new(army(one)?, army(other)?);
        match material.piece_count() {
            ..=2 => Err(form()),
            3..=MAX_PIECES => Ok(material),
            pieces => Err(MaterialError::TooMany {
                text: shown(text),
                pieces,
                max: MAX_PIECES,
            }),
        }
    }
}

/// Returns the ending whose name is nearest to a misspelt one, if any is near.
fn suggestion(text: &str) -> Option<String> {
    let names: Vec<String> = (3..=MAX_PIECES)
        .flat_map(Material::all)
        .map(|material| material.to_string())
        .collect();
    let found = nearest(text, names.iter().map(String::as_str));
    found.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for (text, name) in [
            ("KRBvKR", "KRBvKR"),
            ("KvKQ", "KQvK"),
            ("KBRvKN", "KRBvKN"),
            ("KPvKQ", "KQvKP"),
            ("krvk", "KRvK"),
            ("kvkq", "KQvK"),
            ("bkrVrk", "KRBvKR"),
        ] {
            assert_eq!(text.parse::<Material>().unwrap().to_string(), name);
        }
        for bad in [
            "", "KRBKR", "KvK", "KRvR", "KKvK", "KRvKv", "KRvKvK", "KXvK",
        ] {
            assert!(bad.parse::<Material>().is_err(), "{bad}");
        }
        assert!(
            "KQRBNvKQ"
                .parse::<Material>()
                .unwrap_err()
                .to_string()
                .contains("at most 6")
        );
    }

    #[test]
    fn closures_come_in_order_and_numbers_are_known() {
        let sizes: Vec<_> = (3..=6).map(|n| Material::all(n).len()).collect();
        assert_eq!(sizes, [5, 30, 110, 365]);
        for material in Material::all(5) {
            let closure = material.closure();
            assert_eq!(closure.last(), Some(&material));
            for (i, one) in closure.iter().enumerate() {
                for child in one.children() {
                    assert!(
                        closure[..i].contains(&child),
                        "{one} comes before its child {child}"
                    );
                }
            }
        }
        let names = |text: &str| -> Vec<String> {
            let material: Material = text.parse().unwrap();
            material.closure().iter().map(Material::to_string).collect()
        };
        assert_eq!(names("KRvKB"), ["KRvK", "KBvK", "KRvKB"]);
        assert_eq!(names("KPvK"), ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"]);
    }

    /// Each name with one wrong letter is read as another ending or gets a suggestion.
    #[test]
    fn misspelt_names_get_a_suggestion() {
        for material in (3..=5).flat_map(Material::all) {
            let name = material.to_string();
            for at in 0..name.len() {
                for letter in ["x", "", "0"] {
                    let mut misspelt = name.clone();
                    misspelt.replace_range(at..=at, letter);
                    if let Err(error) = misspelt.parse::<Material>() {
                        let said = error.to_string();
                        assert!(said.contains("did you mean K"), "{misspelt}: {said}");
                    }
                }
            }
        }
        let said = "KRK".parse::<Material>().unwrap_err().to_string();
        assert!(said.ends_with("did you mean KRvK?"), "{said}");
        let said = "hello".parse::<Material>().unwrap_err().to_string();
        assert!(!said.contains("mean"), "{said}");
    }
}
