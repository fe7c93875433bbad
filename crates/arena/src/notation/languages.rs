//! The letters of the pieces in the languages in which moves are written.

use shakmaty::Role;

/// The letters of a language.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alphabet {
    /// The names of the languages with these letters.
    pub(crate) languages: &'static str,
    /// Of king, queen, rook, bishop and knight.
    letters: [&'static str; 5],
}

const ROLES: [Role; 5] = [
    Role::King,
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
];

/// The letters of the standard algebraic notation.
pub(crate) const ENGLISH: Alphabet = Alphabet {
    languages: "English",
    letters: ["K", "Q", "R", "B", "N"],
};

/// The letters of other languages, the most common in files first (Wikipedia, "Chess notation",
/// table of the letters).
pub(crate) const OTHERS: &[Alphabet] = &[
    Alphabet {
        languages: "German, Croatian or a Scandinavian language",
        letters: ["K", "D", "T", "L", "S"],
    },
    Alphabet {
        languages: "French",
        letters: ["R", "D", "T", "F", "C"],
    },
    Alphabet {
        languages: "Spanish, Italian or Catalan",
        letters: ["R", "D", "T", "A", "C"],
    },
    Alphabet {
        languages: "Portuguese",
        letters: ["R", "D", "T", "B", "C"],
    },
    Alphabet {
        languages: "Dutch",
        letters: ["K", "D", "T", "L", "P"],
    },
    Alphabet {
        languages: "Russian",
        letters: ["Кр", "Ф", "Л", "С", "К"],
    },
    Alphabet {
        languages: "Bulgarian",
        letters: ["Ц", "Д", "Т", "О", "К"],
    },
    Alphabet {
        languages: "Polish",
        letters: ["K", "H", "W", "G", "S"],
    },
    Alphabet {
        languages: "Czech or Slovak",
        letters: ["K", "D", "V", "S", "J"],
    },
    Alphabet {
        languages: "Hungarian",
        letters: ["K", "V", "B", "F", "H"],
    },
    Alphabet {
        languages: "Finnish",
        letters: ["K", "D", "T", "L", "R"],
    },
    Alphabet {
        languages: "Romanian",
        letters: ["R", "D", "T", "N", "C"],
    },
    Alphabet {
        languages: "Icelandic",
        letters: ["K", "D", "H", "B", "R"],
    },
    Alphabet {
        languages: "Estonian",
        letters: ["K", "L", "V", "O", "R"],
    },
    Alphabet {
        languages: "Turkish",
        letters: ["Ş", "V", "K", "F", "A"],
    },
];

impl Alphabet {
    /// The piece whose letter, or figurine, `text` begins with, and the text after it.
    pub(crate) fn piece<'a>(&self, text: &'a str) -> Option<(Role, &'a str)> {
        let first = text.chars().next()?;
        let figurine = match first {
            '♔' | '♚' => Some(Role::King),
            '♕' | '♛' => Some(Role::Queen),
            '♖' | '♜' => Some(Role::Rook),
            '♗' | '♝' => Some(Role::Bishop),
            '♘' | '♞' => Some(Role::Knight),
            '♙' | '♟' => Some(Role::Pawn),
            _ => None,
        };
        if let Some(role) = figurine {
            return Some((role, &text[first.len_utf8()..]));
        }
        // The king comes first: a Russian king begins with the letter of the knight.
        let mut pieces = ROLES.into_iter().zip(self.letters);
        pieces.find_map(|(role, letter)| Some((role, text.strip_prefix(letter)?)))
    }

    /// Whether a piece has this letter.
    pub(crate) fn has(&self, letter: &str) -> bool {
        self.letters.contains(&letter)
    }
}

/// The names of the languages in which a piece has each of these letters; `None` if there are none.
pub(crate) fn languages_with(letters: &[&str]) -> Option<String> {
    let fitting = OTHERS
        .iter()
        .filter(|alphabet| letters.iter().all(|letter| alphabet.has(letter)));
    let names: Vec<_> = fitting.map(|alphabet| alphabet.languages).collect();
    (!names.is_empty()).then(|| names.join(", "))
}
