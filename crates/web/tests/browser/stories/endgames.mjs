// Endgames: the value of a position and its moves, the best line, a table built on request, statistics.

export const page = '/endgames';

const square = (name) => `[data-square="${name}"]`;
const KQKR = '/endgames?fen=8/8/8/8/2r5/8/2k5/K6Q+w+-+-+0+1';

/** Builds the table of the position that is shown if it is missing. */
async function built(page, act) {
  await page.locator('#verdict', { hasText: /\w/ }).waitFor();
  await page.locator('#build-start:visible, .move-group.win, .move-group.draw, .move-group.loss').first().waitFor();
  if (await page.locator('#build-start').isVisible()) await act.click('#build-start');
  await page.locator('#verdict', { hasText: /wins|draw/ }).waitFor({ timeout: 120_000 });
}

export const picture = async ({ page }) => {
  await built(page, { click: (target) => page.click(target) });
  await page.locator('#line button').first().waitFor();
};

export const stories = [
  {
    name: 'queen against rook, its value and the best line, by mouse',
    async run({ page, act, check }) {
      await act.click(page.getByRole('navigation').getByRole('link', { name: 'Endgames' }));
      await built(page, act);
      await page.locator('#line button').first().waitFor();
      check((await page.locator('#verdict').innerText()) === 'White wins', 'the verdict');
      check(/Mate in 10 \(19 plies\)/.test(await page.locator('#verdict-text').innerText()), 'the distance');
      check((await page.locator('#line button').count()) === 19, 'the line leads to mate');
      console.log(`  value of a KQvKR position with the best line: ${act.actions} actions from the front page`);
      const order = await page.locator('.move-group').evaluateAll((groups) => groups.map((each) => each.className.split(' ')[1]));
      check(order.join() === 'win,draw,loss', 'moves are grouped by their value');
      await act.click('#play-line');
      await page.locator('#verdict', { hasText: 'Checkmate' }).waitFor({ timeout: 60_000 });
      await act.click('#first');
      await act.click(page.locator('.move-group.win button').first());
      await page.locator('#verdict', { hasText: 'White wins' }).waitFor();
      check((await page.evaluate(() => new URLSearchParams(location.search).get('moves'))) !== null, 'the move is in the address');
    },
  },
  {
    name: 'by keys alone',
    from: KQKR,
    async run({ page, act, check }) {
      await page.locator('#verdict', { hasText: /\w/ }).waitFor();
      await page.locator('#build-start:visible, .move-group.win').first().waitFor();
      if (await page.locator('#build-start').isVisible()) {
        await act.tabTo(page.locator('#build-start'));
        await act.press('Enter');
      }
      await page.locator('#verdict', { hasText: 'White wins' }).waitFor({ timeout: 120_000 });
      check(/69 plies/.test(await page.locator('#verdict-text').innerText()), 'one of the longest wins');
      await page.evaluate(() => (document.activeElement instanceof HTMLElement ? document.activeElement.blur() : undefined));
      await act.press('Space');
      await page.locator('#verdict-text', { hasText: '68 plies' }).waitFor();
      await act.press('ArrowLeft');
      await page.locator('#verdict-text', { hasText: '69 plies' }).waitFor();
      await act.press('s');
      await page.locator('#verdict-text', { hasText: 'Black to move' }).waitFor();
      await page.goBack();
      await page.locator('#verdict-text', { hasText: 'White to move' }).waitFor();
      await act.tabTo(page.locator('#move-text'));
      await act.type('Qxx9');
      await act.press('Enter');
      await page.locator('#move-fault', { hasText: 'no such legal move' }).waitFor();
    },
    expects: [/status of 400/],
  },
  {
    name: 'a position is set up and an ending counted',
    from: '/endgames?mode=edit&fen=4k3/8/8/8/8/8/8/4K3+w+-+-+0+1',
    async run({ page, act, check }) {
      await page.locator('#verdict', { hasText: 'A draw' }).waitFor();
      await act.click(page.getByRole('radio', { name: 'white queen' }), { force: true });
      await act.click(square('d1'));
      await built(page, act);
      await page.locator('#verdict', { hasText: 'White wins' }).waitFor();
      await act.click(page.getByRole('button', { name: 'Mirror' }));
      await page.locator(`${square('e1')}[aria-label="e1, white queen"]`).waitFor();
      await act.click(page.getByRole('button', { name: 'Exchange colours' }));
      await page.locator('#verdict', { hasText: 'Black wins' }).waitFor();
      await act.click('#stats-panel summary');
      await act.fill('#material', 'KQvK');
      await act.click(page.getByRole('button', { name: 'Count it' }));
      await page.locator('#stats', { hasText: '144,508' }).waitFor({ timeout: 120_000 });
      check((await page.locator('#stats').innerText()).includes('19 plies to mate'), 'the longest win of KQvK');
      await act.click(page.locator('#stats .diagram-button').first());
      await page.locator('#verdict', { hasText: /wins|draw/ }).waitFor();
    },
  },
  {
    name: 'another piece on another board, solved and played',
    from: '/endgames?fairy=5k4/10/5K4/10/10/10/10/A9+w',
    async run({ page, act, check }) {
      const at = (name) => page.locator('#fairy-position').evaluate((board, wanted) => {
        const square = Array.from({ length: board.rows * board.cols }, (_, each) => each).find((each) => board.name(each) === wanted);
        const { x, y } = board.middle(square);
        board.scrollIntoView({ block: 'center' });
        const point = new DOMPoint(x, y).matrixTransform(board.querySelector('svg').getScreenCTM());
        return { x: point.x, y: point.y };
      }, name);
      const verdict = page.locator('#fairy-verdict');
      await page.locator('#fairy-verdict', { hasText: /wins|Not computed/ }).waitFor();
      if (await page.locator('#fairy-build').isVisible()) await act.click('#fairy-build');
      await page.locator('#fairy-verdict', { hasText: 'White wins' }).waitFor({ timeout: 120_000 });
      check(/mate in 9 \(17 plies\)/.test(await page.locator('#fairy-text').innerText()), 'the distance to mate');
      await act.clickAt(await at('a1'));
      await act.clickAt(await at('d4'));
      await page.locator('#fairy-text', { hasText: 'Black to move, mate in 8 (16 plies)' }).waitFor();
      check((await page.evaluate(() => new URLSearchParams(location.search).get('fairy'))) === '5k4/10/5K4/10/3A6/10/10/10 b', 'the position is in the address');
      await page.goBack();
      await page.locator('#fairy-text', { hasText: 'White to move' }).waitFor();
      await act.click(page.getByRole('radio', { name: 'white A' }), { force: true });
      await act.clickAt(await at('e8'));
      await page.locator('#fairy-verdict', { hasText: /Not computed|No answer|wins/ }).waitFor();
      await act.fill('#fairy-board', '17x8');
      await act.click(page.getByRole('button', { name: 'Take these' }));
      await page.locator('#fairy-text', { hasText: 'up to 16x16' }).waitFor();
      check((await verdict.innerText()) === 'No answer', 'a board that is too large is refused');
    },
    expects: [/status of 400/],
  },
];
