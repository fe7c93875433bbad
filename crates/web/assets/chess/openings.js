/**
 * Names of openings, with their codes in the Encyclopaedia of Chess Openings (ECO).
 * @module
 */

/** A line each: code, moves, name. */
const OPENINGS = `
A00|b4|Polish Opening
A00|g4|Grob Opening
A00|Nc3|Van Geet Opening
A01|b3|Nimzowitsch-Larsen Attack
A02|f4|Bird's Opening
A04|Nf3|Réti Opening
A09|Nf3 d5 c4|Réti Opening
A10|c4|English Opening
A16|c4 Nf6 Nc3|English Opening, Anglo-Indian Defence
A20|c4 e5|English Opening, King's English
A30|c4 c5|English Opening, Symmetrical
A40|d4|Queen's Pawn Opening
A40|d4 g6|Modern Defence
A43|d4 c5|Old Benoni Defence
A45|d4 Nf6|Indian Defence
A45|d4 Nf6 Bg5|Trompowsky Attack
A46|d4 Nf6 Nf3|Indian Defence
A48|d4 Nf6 Nf3 g6 Bf4|London System
A50|d4 Nf6 c4|Indian Defence
A51|d4 Nf6 c4 e5|Budapest Gambit
A56|d4 Nf6 c4 c5|Benoni Defence
A57|d4 Nf6 c4 c5 d5 b5|Benko Gambit
A60|d4 Nf6 c4 c5 d5 e6|Modern Benoni
A80|d4 f5|Dutch Defence
A87|d4 f5 c4 Nf6 g3 g6 Bg2 Bg7 Nf3|Dutch Defence, Leningrad Variation
B00|e4|King's Pawn Opening
B00|e4 b6|Owen's Defence
B00|e4 Nc6|Nimzowitsch Defence
B01|e4 d5|Scandinavian Defence
B01|e4 d5 exd5 Qxd5|Scandinavian Defence
B01|e4 d5 exd5 Nf6|Scandinavian Defence, Modern Variation
B02|e4 Nf6|Alekhine's Defence
B03|e4 Nf6 e5 Nd5 d4 d6 c4 Nb6 f4|Alekhine's Defence, Four Pawns Attack
B06|e4 g6|Modern Defence
B07|e4 d6|Pirc Defence
B07|e4 d6 d4 Nf6 Nc3 g6|Pirc Defence
B09|e4 d6 d4 Nf6 Nc3 g6 f4|Pirc Defence, Austrian Attack
B10|e4 c6|Caro-Kann Defence
B12|e4 c6 d4 d5 e5|Caro-Kann Defence, Advance Variation
B13|e4 c6 d4 d5 exd5 cxd5|Caro-Kann Defence, Exchange Variation
B13|e4 c6 d4 d5 exd5 cxd5 c4|Caro-Kann Defence, Panov Attack
B15|e4 c6 d4 d5 Nc3|Caro-Kann Defence
B18|e4 c6 d4 d5 Nc3 dxe4 Nxe4 Bf5|Caro-Kann Defence, Classical Variation
B20|e4 c5|Sicilian Defence
B21|e4 c5 d4 cxd4 c3|Sicilian Defence, Smith-Morra Gambit
B22|e4 c5 c3|Sicilian Defence, Alapin Variation
B23|e4 c5 Nc3|Sicilian Defence, Closed Variation
B27|e4 c5 Nf3|Sicilian Defence
B30|e4 c5 Nf3 Nc6|Sicilian Defence
B30|e4 c5 Nf3 Nc6 Bb5|Sicilian Defence, Rossolimo Variation
B32|e4 c5 Nf3 Nc6 d4 cxd4 Nxd4|Sicilian Defence, Open
B33|e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5|Sicilian Defence, Sveshnikov Variation
B34|e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 g6|Sicilian Defence, Accelerated Dragon
B40|e4 c5 Nf3 e6|Sicilian Defence
B41|e4 c5 Nf3 e6 d4 cxd4 Nxd4 a6|Sicilian Defence, Kan Variation
B44|e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6|Sicilian Defence, Taimanov Variation
B50|e4 c5 Nf3 d6|Sicilian Defence
B51|e4 c5 Nf3 d6 Bb5+|Sicilian Defence, Moscow Variation
B56|e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 Nc6|Sicilian Defence, Classical Variation
B70|e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6|Sicilian Defence, Dragon Variation
B80|e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 e6|Sicilian Defence, Scheveningen Variation
B90|e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6|Sicilian Defence, Najdorf Variation
C00|e4 e6|French Defence
C01|e4 e6 d4 d5 exd5 exd5|French Defence, Exchange Variation
C02|e4 e6 d4 d5 e5|French Defence, Advance Variation
C03|e4 e6 d4 d5 Nd2|French Defence, Tarrasch Variation
C10|e4 e6 d4 d5 Nc3|French Defence
C10|e4 e6 d4 d5 Nc3 dxe4 Nxe4|French Defence, Rubinstein Variation
C11|e4 e6 d4 d5 Nc3 Nf6|French Defence, Classical Variation
C15|e4 e6 d4 d5 Nc3 Bb4|French Defence, Winawer Variation
C20|e4 e5|Open Game
C21|e4 e5 d4 exd4|Centre Game
C21|e4 e5 d4 exd4 c3|Danish Gambit
C23|e4 e5 Bc4|Bishop's Opening
C25|e4 e5 Nc3|Vienna Game
C29|e4 e5 Nc3 Nf6 f4|Vienna Gambit
C30|e4 e5 f4|King's Gambit
C31|e4 e5 f4 d5|King's Gambit, Falkbeer Countergambit
C33|e4 e5 f4 exf4|King's Gambit Accepted
C40|e4 e5 Nf3|King's Knight Opening
C40|e4 e5 Nf3 f5|Latvian Gambit
C41|e4 e5 Nf3 d6|Philidor Defence
C42|e4 e5 Nf3 Nf6|Petrov's Defence
C44|e4 e5 Nf3 Nc6|King's Knight Opening
C44|e4 e5 Nf3 Nc6 c3|Ponziani Opening
C44|e4 e5 Nf3 Nc6 d4|Scotch Game
C44|e4 e5 Nf3 Nc6 d4 exd4 Bc4|Scotch Gambit
C45|e4 e5 Nf3 Nc6 d4 exd4 Nxd4|Scotch Game
C46|e4 e5 Nf3 Nc6 Nc3|Three Knights Game
C47|e4 e5 Nf3 Nc6 Nc3 Nf6|Four Knights Game
C50|e4 e5 Nf3 Nc6 Bc4|Italian Game
C50|e4 e5 Nf3 Nc6 Bc4 Bc5|Italian Game, Giuoco Piano
C51|e4 e5 Nf3 Nc6 Bc4 Bc5 b4|Evans Gambit
C55|e4 e5 Nf3 Nc6 Bc4 Nf6|Two Knights Defence
C57|e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5|Two Knights Defence, Knight Attack
C60|e4 e5 Nf3 Nc6 Bb5|Ruy Lopez
C63|e4 e5 Nf3 Nc6 Bb5 f5|Ruy Lopez, Schliemann Defence
C65|e4 e5 Nf3 Nc6 Bb5 Nf6|Ruy Lopez, Berlin Defence
C68|e4 e5 Nf3 Nc6 Bb5 a6 Bxc6|Ruy Lopez, Exchange Variation
C70|e4 e5 Nf3 Nc6 Bb5 a6 Ba4|Ruy Lopez, Morphy Defence
C80|e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Nxe4|Ruy Lopez, Open Variation
C84|e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7|Ruy Lopez, Closed Variation
C89|e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 O-O c3 d5|Ruy Lopez, Marshall Attack
D00|d4 d5|Closed Game
D00|d4 d5 Bf4|London System
D02|d4 d5 Nf3|Queen's Pawn Game
D06|d4 d5 c4|Queen's Gambit
D07|d4 d5 c4 Nc6|Chigorin Defence
D08|d4 d5 c4 e5|Albin Countergambit
D10|d4 d5 c4 c6|Slav Defence
D20|d4 d5 c4 dxc4|Queen's Gambit Accepted
D30|d4 d5 c4 e6|Queen's Gambit Declined
D32|d4 d5 c4 e6 Nc3 c5|Tarrasch Defence
D35|d4 d5 c4 e6 Nc3 Nf6 cxd5 exd5|Queen's Gambit Declined, Exchange Variation
D43|d4 d5 c4 c6 Nf3 Nf6 Nc3 e6|Semi-Slav Defence
D80|d4 Nf6 c4 g6 Nc3 d5|Grünfeld Defence
E00|d4 Nf6 c4 e6|Indian Defence
E01|d4 Nf6 c4 e6 g3 d5|Catalan Opening
E11|d4 Nf6 c4 e6 Nf3 Bb4+|Bogo-Indian Defence
E12|d4 Nf6 c4 e6 Nf3 b6|Queen's Indian Defence
E20|d4 Nf6 c4 e6 Nc3 Bb4|Nimzo-Indian Defence
E32|d4 Nf6 c4 e6 Nc3 Bb4 Qc2|Nimzo-Indian Defence, Classical Variation
E40|d4 Nf6 c4 e6 Nc3 Bb4 e3|Nimzo-Indian Defence, Rubinstein Variation
E60|d4 Nf6 c4 g6|King's Indian Defence
E70|d4 Nf6 c4 g6 Nc3 Bg7 e4|King's Indian Defence
E76|d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f4|King's Indian Defence, Four Pawns Attack
E80|d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f3|King's Indian Defence, Sämisch Variation
E90|d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3|King's Indian Defence
`;

/** By moves: code and name. @type {Map<string, string>} */
const named = new Map(OPENINGS.trim().split('\n').map((line) => {
  const [code, moves, name] = line.split('|');
  return [moves ?? '', `${code} ${name}`];
}));

/**
 * The opening of a game from the initial position, by the longest line that has a name.
 * @param {string[]} moves in standard algebraic notation
 * @returns {string} code and name, empty if there is none
 */
export function opening(moves) {
  for (let n = Math.min(moves.length, 20); n > 0; n -= 1) {
    const found = named.get(moves.slice(0, n).join(' '));
    if (found) return found;
  }
  return '';
}
