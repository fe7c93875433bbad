// Chess: a game with a hint, analysis, positions and games as text, the editor, promotions.

export const page = '/chess';

const square = (name) => `[data-square="${name}"]`;

/** The address holds this number of moves. */
const moves = (page, n) => page.waitForFunction((count) => (new URLSearchParams(location.search).get('moves') ?? '').split(',').filter(Boolean).length === count, n);

/** The square has this label, perhaps once an answer has come. */
const labelled = (page, name, text) => page.locator(`${square(name)}[aria-label="${text}"]`).waitFor();

/** The PGN of the page has this part, with blanks in place of line ends. */
const written = (page, part) => page.waitForFunction((text) => document.querySelector('#pgn').value.replaceAll('\n', ' ').includes(text), part);

export const picture = async ({ page }) => {
  await page.goto(`${new URL(page.url()).origin}/chess?mode=analyse&moves=e2e4,e7e5,g1f3,b8c6,f1b5,g8f6`);
  await page.locator('#engine-lines li').nth(2).waitFor();
};

export const stories = [
  {
    name: 'a game with a hint, by mouse',
    async run({ page, act, check }) {
      await act.click(page.getByRole('navigation').getByRole('link', { name: 'Chess', exact: true }));
      await page.locator('#board .movable').first().waitFor();
      await act.drag(square('e2'), square('e4'));
      await moves(page, 2);
      await act.click('#hint');
      await page.locator('#board .arrow.hint').waitFor();
      check(/^Hint: \S+/.test(await page.locator('#status').innerText()), 'the hint names a move');
      console.log(`  a game of chess with a hint: ${act.actions} actions from the front page`);
      await page.reload({ waitUntil: 'networkidle' });
      await labelled(page, 'e4', 'e4, white pawn');
      await page.locator('#board .movable').first().waitFor();
      await act.click(square('d2'));
      await page.locator('#board .target').first().waitFor();
      await act.click(square('g1'));
      await labelled(page, 'g1', 'g1, white knight, selected');
      await act.click(square('g1'));
      await labelled(page, 'g1', 'g1, white knight');
      await act.click('#take-back');
      await moves(page, 0);
      await labelled(page, 'e2', 'e2, white pawn');
    },
  },
  {
    name: 'a game by keys alone',
    from: '/chess',
    async run({ page, act, check }) {
      await page.locator('#board .movable').first().waitFor();
      await act.tabTo(page.locator(square('e1')));
      await act.press('ArrowUp');
      await act.press('Enter');
      await labelled(page, 'e4', 'e4, empty, can move here');
      await act.press('ArrowUp');
      await act.press('ArrowUp');
      await act.press('Enter');
      await moves(page, 2);
      await act.press('l');
      await page.waitForFunction(() => /^black \w+ from \w\d to \w\d$/.test(document.getElementById('spoken')?.textContent ?? ''));
      await act.press('o');
      await page.waitForFunction(() => document.getElementById('spoken')?.textContent?.startsWith('White: king e1, queen d1, rooks a1 and h1'));
      await act.press('h');
      await page.locator('#board .arrow.hint').waitFor();
      await act.tabTo(page.locator('#move-text'));
      await act.type('Ke3');
      await act.press('Enter');
      await page.locator('#move-fault', { hasText: 'no such legal move' }).waitFor();
      await page.locator('#move-text').fill('');
      await act.type('h2h3');
      await act.press('Enter');
      await moves(page, 4);
    },
    expects: [/status of 400/],
  },
  {
    name: 'Black against the clock, with arrows',
    from: '/chess',
    async run({ page, act, check }) {
      await act.click(page.getByRole('radio', { name: 'Black' }), { force: true });
      await moves(page, 1);
      await page.waitForFunction(() => document.querySelector('#board').orientation === 'black');
      await act.choose('#clock', '180+2');
      await act.click('#new-game');
      await moves(page, 1);
      await page.locator('#player-bottom .clock.running').waitFor();
      const before = await page.locator('#player-bottom .clock').innerText();
      await page.waitForFunction((text) => document.querySelector('#player-bottom .clock').textContent !== text, before);
      await act.drag(square('e7'), square('e5'));
      await moves(page, 3);
      check(/^(3:0|2:[3-5])/.test(await page.locator('#player-bottom .clock').innerText()), 'the move gained two seconds');
      const [from, to] = [await page.locator(square('d7')).boundingBox(), await page.locator(square('d5')).boundingBox()];
      await page.mouse.move(from.x + 20, from.y + 20);
      await page.mouse.down({ button: 'right' });
      await page.mouse.move(to.x + 20, to.y + 20, { steps: 3 });
      await page.mouse.up({ button: 'right' });
      await page.locator('#board .arrow.green').waitFor();
      await act.press('f');
      check((await page.locator('#board').evaluate((board) => board.orientation)) === 'white', 'f turns the board');
    },
  },
  {
    name: 'by touch: drag and tap',
    from: '/chess',
    view: 'phone',
    async run({ page, act, check }) {
      await page.locator('#board .movable').first().waitFor();
      const before = await page.evaluate(() => scrollY);
      await act.touchDrag(square('d2'), square('d4'));
      await moves(page, 2);
      check((await page.evaluate(() => scrollY)) - before < 300, 'the page stays where it was while a piece is dragged');
      await act.tap(square('g1'));
      await page.locator('#board .target').first().waitFor();
      await act.tap(square('f3'));
      await moves(page, 4);
    },
  },
  {
    name: 'analysis, with a game in PGN',
    from: '/chess?mode=analyse',
    async run({ page, act, check, address }) {
      await page.locator('#engine-lines li').nth(2).waitFor();
      await page.locator('#board .arrow').nth(2).waitFor();
      await act.click(page.locator('#engine-lines .line-move').nth(1));
      await moves(page, 2);
      await page.goBack();
      await moves(page, 0);
      await act.click('#exchange summary');
      await act.fill('#pgn', '[Event "?"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0');
      await act.click(page.locator('#pgn-form').getByRole('button', { name: 'Load' }));
      // The address changes at once, the list when the server has answered: only then is there an end to go to.
      await page.locator('#moves button').nth(4).waitFor();
      await act.press('End');
      await page.locator('#status', { hasText: /mate/i }).waitFor();
      await act.click('#review');
      await page.locator('#review-text', { hasText: 'Blunders' }).waitFor();
      check((await page.locator('#moves .judged').count()) >= 1, 'the losing move is marked');
      check(await page.locator('#graph svg').isVisible(), 'the graph is shown');
      await act.fill('#pgn', '*');
      await act.click(page.locator('#pgn-form').getByRole('button', { name: 'Load' }));
      await page.locator('#pgn-fault.bad').waitFor();
      await moves(page, 5);
      await act.fill('#pgn', '[White "Ann"]\n\n1. e4 {a comment} e5 $14 (1... c5 {another}) *\n\n[White "Bea"]\n\n1. d4 *');
      await act.click(page.locator('#pgn-form').getByRole('button', { name: 'Load' }));
      await moves(page, 2);
      await page.waitForFunction(() => document.querySelectorAll('#moves button').length === 3);
      await act.press('End');
      await written(page, '[White "Ann"]');
      await written(page, '1. e4 {a comment} 1... e5 $14 (1... c5 {another}) *');
      check(/e5\s*⩲/.test(await page.locator('#moves').innerText()), 'the glyph of a move is shown');
      await act.fill('#move-text', 'Nf3');
      await act.press('Enter');
      await moves(page, 3);
      await page.locator('#copy-pgn').focus();
      await written(page, '(1... c5 {another}) 2. Nf3 *');
      await page.locator('#pgn-game').selectOption('2');
      await moves(page, 1);
      await written(page, '[White "Bea"]');
      await page.goBack();
      await written(page, '(1... c5 {another}) 2. Nf3 *');
      await act.fill('#fen', '8/8/8/8/8/8/8/8 w - - 0 1');
      await act.click(page.locator('#fen-form').getByRole('button', { name: 'Load' }));
      await page.locator('#fen-fault.bad').waitFor();
      await page.goto(`${address}/chess?mode=analyse&moves=e2e4,e7e5&at=1`, { waitUntil: 'networkidle' });
      await labelled(page, 'e5', 'e5, empty');
    },
    expects: [/status of 400/],
  },
  {
    name: 'castling by the rook, and resigning',
    from: '/chess?moves=e2e4,e7e5,g1f3,b8c6,f1b5,g8f6',
    async run({ page, act }) {
      await labelled(page, 'b5', 'b5, white bishop');
      await page.locator('#opening', { hasText: 'C65 Ruy Lopez, Berlin Defence' }).waitFor();
      await act.click(square('e1'));
      await act.click(square('h1'));
      await labelled(page, 'g1', 'g1, white king');
      await moves(page, 8);
      await act.click('#resign');
      await page.locator('#status', { hasText: 'White resigned. The engine wins.' }).waitFor();
      await written(page, '[Result "0-1"]');
      await written(page, '{White resigned} 0-1');
      await page.reload({ waitUntil: 'networkidle' });
      await page.locator('#status', { hasText: 'White resigned. The engine wins.' }).waitFor();
      await written(page, '{White resigned} 0-1');
      await act.click('#take-back');
      await moves(page, 6);
      await written(page, 'Nf6 *');
    },
  },
  {
    name: 'variations are made on the board and entered by click, and stay',
    from: '/chess?mode=analyse&moves=e2e4,e7e5,g1f3,b8c6',
    async run({ page, act, check }) {
      await labelled(page, 'c6', 'c6, black knight');
      await act.press('ArrowLeft');
      await act.press('ArrowLeft');
      await labelled(page, 'g1', 'g1, white knight');
      await act.drag(square('f1'), square('c4'));
      await written(page, '2. Nf3 (2. Bc4) 2... Nc6 *');
      await act.drag(square('g8'), square('f6'));
      await written(page, '2. Nf3 (2. Bc4 Nf6) 2... Nc6 *');
      await page.locator('#status', { hasText: 'White to move' }).waitFor();
      await act.click(page.locator('#moves > li:not(.aside) button', { hasText: 'Nc6' }));
      await labelled(page, 'c6', 'c6, black knight');
      await page.reload({ waitUntil: 'networkidle' });
      await labelled(page, 'c6', 'c6, black knight');
      await act.click(page.locator('#moves .variation button', { hasText: 'Bc4' }));
      await labelled(page, 'c4', 'c4, white bishop');
      await page.locator('#status', { hasText: 'After move 3 of 4 in a variation' }).waitFor();
      // A variation of the variation, and back to the end of the line that is shown.
      await act.drag(square('b8'), square('c6'));
      await written(page, '(2. Bc4 Nf6 (2... Nc6)) 2... Nc6 *');
      check((await page.locator('#moves .variation .variation button').allInnerTexts()).join() === 'Nc6', 'the list shows variations of variations');
      await act.press('ArrowLeft');
      await labelled(page, 'b8', 'b8, black knight');
      await act.click('#promote');
      await written(page, '2. Bc4 (2. Nf3 Nc6) 2... Nf6 (2... Nc6) *');
      await act.click('#cut');
      await written(page, '1. e4 e5 2. Nf3 Nc6 *');
      await labelled(page, 'f1', 'f1, white bishop');
      await page.goBack();
      await written(page, '2. Bc4 (2. Nf3 Nc6) 2... Nf6 (2... Nc6) *');
      await act.click('#exchange summary');
      await act.fill('#pgn', '{begin} 1. d4 {[%clk 0:01:00] central} d5 (1... Nf6 $5 2. -- g6 {a threat}) 2. c4 *');
      await act.click(page.locator('#pgn-form').getByRole('button', { name: 'Load' }));
      await act.click(page.locator('#moves .variation button', { hasText: 'g6' }));
      await labelled(page, 'g6', 'g6, black pawn');
      const shown = await page.locator('#moves').innerText();
      check(['begin', 'central', 'a threat', '!?'].every((text) => shown.includes(text)) && !shown.includes('%clk'), 'comments and glyphs are shown');
      await page.reload({ waitUntil: 'networkidle' });
      await written(page, '{begin} 1. d4 {[%clk 0:01:00] central} 1... d5 (1... Nf6!? 2. -- g6 {a threat}) 2. c4 *');
    },
  },
  {
    name: 'a move is entered while the engine thinks',
    served: true,
    from: '/chess',
    async run({ page, act, check }) {
      /** @type {(() => void)[]} */
      const waiting = [];
      await page.route('**/api/v1/chess/move', async (route) => {
        await new Promise((resolve) => waiting.push(/** @type {() => void} */ (resolve)));
        await route.continue();
      });
      const answered = async () => {
        while (waiting.length === 0) await page.waitForTimeout(20);
        waiting.shift()?.();
      };
      const squares = (n) => page.waitForFunction((count) => document.querySelectorAll('#board .premove').length === count, n);
      await page.locator('#board .movable').first().waitFor();
      await act.drag(square('e2'), square('e4'));
      await moves(page, 1);
      await act.drag(square('d2'), square('d4'));
      await squares(2);
      await page.locator('#status', { hasText: 'then d2 to d4' }).waitFor();
      await act.press('Escape');
      await squares(0);
      await act.click(square('d2'));
      await act.click(square('d4'));
      await squares(2);
      await act.click(square('h5'));
      await squares(0);
      await act.drag(square('d2'), square('d4'));
      await squares(2);
      await answered();
      await moves(page, 3);
      await labelled(page, 'd4', 'd4, white pawn');
      // A move that is not legal then is not made.
      await act.drag(square('a1'), square('a5'));
      await squares(2);
      await answered();
      await moves(page, 4);
      await page.locator('#status', { hasText: 'Your move' }).waitFor();
      await squares(0);
      await page.locator(`${square('a1')}[aria-label^="a1, white rook"]`).waitFor();
      check(waiting.length === 0, 'the engine is not asked again');
    },
  },
  {
    name: 'arrow keys step through the game after a move by mouse, as often as they are pressed',
    from: '/chess?mode=analyse&moves=e2e4,e7e5,g1f3,b8c6,f1b5,g8f6',
    async run({ page, act }) {
      await labelled(page, 'b5', 'b5, white bishop');
      await act.drag(square('e1'), square('g1'));
      await moves(page, 7);
      await Promise.all(Array.from({ length: 6 }, () => page.keyboard.press('ArrowLeft')));
      await page.waitForFunction(() => new URLSearchParams(location.search).get('at') === '1');
      await labelled(page, 'e4', 'e4, white pawn');
      await labelled(page, 'e7', 'e7, black pawn');
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(() => new URLSearchParams(location.search).get('at') === '2');
    },
  },
  {
    name: 'a game against the engine is continued at its end only, and says so',
    from: '/chess?mode=play&moves=e2e4,e7e5&at=1',
    async run({ page, act, check }) {
      await labelled(page, 'e4', 'e4, white pawn');
      await act.click(square('d2'));
      await page.locator('#move-fault', { hasText: 'Go to the end of the game' }).waitFor();
      await act.click('#last');
      await labelled(page, 'e5', 'e5, black pawn');
      check((await page.locator('#move-fault').textContent()) === '', 'nothing is wrong at the end');
    },
  },
  {
    name: 'a position is set up, and a pawn promoted',
    from: '/chess?mode=edit',
    async run({ page, act, check }) {
      await act.click('#edit-clear');
      await act.click(page.getByRole('radio', { name: 'white pawn' }), { force: true });
      await act.click(square('a7'));
      await labelled(page, 'a7', 'a7, white pawn');
      await act.click(page.getByRole('radio', { name: 'white king' }), { force: true });
      await act.click(square('e7'));
      await page.locator('#edit-fault', { hasText: /\w/ }).waitFor();
      check(await page.locator('#edit-analyse').isDisabled(), 'an illegal position cannot be analysed');
      await act.click(square('e7'));
      await act.press('ArrowDown');
      await page.waitForFunction(() => !document.querySelector('#edit-analyse').disabled);
      await act.click('#edit-analyse');
      await page.locator('#board .movable').first().waitFor();
      await act.click(square('a7'));
      await act.click(square('a8'));
      await page.getByRole('dialog', { name: 'Promote to' }).waitFor();
      await act.press('Escape');
      await labelled(page, 'a7', 'a7, white pawn');
      await act.drag(square('a7'), square('a8'));
      await act.click(page.getByRole('button', { name: 'knight' }));
      await page.locator(`${square('a8')}[aria-label^="a8, white knight"]`).waitFor();
      await act.press('?');
      check(await page.locator('#keys').isVisible(), 'the keys are listed');
      await act.press('Escape');
    },
    expects: [/status of 400/],
  },
];
