// Knight's tours.

export const page = '/tours';

/** Where a square of the large board is in the window. */
const square = (page, name) =>
  page.locator('#board').evaluate((board, wanted) => {
    board.scrollIntoView({ block: 'nearest' });
    for (let each = 0; each < board.rows * board.cols; each += 1) {
      if (board.name(each) !== wanted) continue;
      const { x, y } = board.middle(each);
      const point = new DOMPoint(x, y).matrixTransform(board.picture.getScreenCTM());
      return { x: point.x, y: point.y };
    }
    throw new Error(`no square ${wanted}`);
  }, name);

const answer = (page, text) => page.locator('#answer', { hasText: text }).waitFor();
const shown = (page) => page.locator('#board').evaluate((board) => board.shown);

export async function picture({ page }) {
  await answer(page, 'tour');
  await page.locator('#play').click();
  await page.locator('#step').fill('64');
}

export const stories = [
  {
    name: 'a closed 8x8 tour is animated',
    async run({ page, act, check }) {
      await act.click(page.getByRole('navigation').getByRole('link', { name: 'Tours' }));
      await answer(page, "closed knight's tour of the 8×8 board");
      await page.waitForFunction(() => document.querySelector('#board').shown > 0.5);
      const before = await shown(page);
      await page.waitForFunction((least) => document.querySelector('#board').shown > least, before + 1);
      const order = await page.locator('#board').evaluate((board) => board.order);
      check(new Set(order).size === 64, 'the tour visits 64 squares');
      const step = (a, b) => [Math.abs((a % 8) - (b % 8)), Math.abs(Math.floor(a / 8) - Math.floor(b / 8))].sort().join();
      check(order.every((each, i) => step(each, order[(i + 1) % 64]) === '1,2'), "each step is a knight's move, the last one too");
    },
  },
  {
    name: 'board, kind and start by mouse, then back and reload',
    from: '/tours',
    async run({ page, act, check }) {
      await act.fill('#size', '6x7');
      await act.press('Enter');
      await answer(page, '6×7');
      await act.click(page.getByRole('radio', { name: 'Open' }));
      await answer(page, "open knight's tour");
      await act.clickAt(await square(page, 'c4'));
      await page.waitForFunction(() => document.querySelector('#board').order[0] === 23);
      check(page.url().includes('start=c4'), 'the start is in the address');
      await page.reload();
      await page.waitForFunction(() => document.querySelector('#board').order[0] === 23);
      await page.goBack();
      await page.waitForFunction(() => document.querySelector('#board').order[0] !== 23);
    },
  },
  {
    name: "a king's tour of an odd board by the menu of pieces, found and drawn",
    from: '/tours?board=5x5',
    async run({ page, act, check }) {
      await answer(page, "Schwenk's theorem");
      await act.click(page.getByText('Start, end, gaps, other pieces'));
      await act.choose('#piece', 'king');
      await answer(page, "closed king's tour of the 5×5 board");
      const order = await page.locator('#board').evaluate((board) => board.order);
      const step = (a, b) => Math.max(Math.abs((a % 5) - (b % 5)), Math.abs(Math.floor(a / 5) - Math.floor(b / 5)));
      check(new Set(order).size === 25, 'the tour visits 25 squares');
      check(order.every((each, i) => step(each, order[(i + 1) % 25]) === 1), "each step is a king's move, the last one too");
      await page.goto(page.url().replace(/[?].*/, '?board=5x5&piece=king&mode=draw'));
      await act.clickAt(await square(page, 'a1'));
      await page.locator('#draw-text', { hasText: 'now on a1' }).waitFor();
      await act.clickAt(await square(page, 'b2'));
      await page.locator('#draw-text', { hasText: '2 of 25 squares, now on b2' }).waitFor();
    },
  },
  {
    name: 'no closed tour of 5x5, with the theorem',
    from: '/tours',
    async run({ page, act }) {
      await act.fill('#size', '5x5');
      await act.press('Enter');
      await answer(page, "Schwenk's theorem");
      await act.click(page.getByRole('button', { name: 'Show an open tour' }));
      await answer(page, "open knight's tour of the 5×5 board");
    },
  },
  {
    name: 'squares are removed by a drag',
    from: '/tours?board=6x6&kind=open',
    async run({ page, act, check }) {
      await answer(page, '6×6');
      await act.click('#more summary');
      await act.click('#holes');
      const from = await square(page, 'a6');
      const to = await square(page, 'b6');
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 5 });
      await page.mouse.up();
      await page.waitForFunction(() => location.search.includes('holes=a6,b6'));
      await page.waitForFunction(() => document.querySelector('#board').order.length === 34);
      check((await page.locator('#board').evaluate((board) => board.holes.size)) === 2, 'two squares are missing');
    },
  },
  {
    name: 'a line drawn by keyboard alone is judged',
    async run({ page, act, check }) {
      await act.tabTo(page.getByRole('navigation').getByRole('link', { name: 'Tours' }));
      await act.press('Enter');
      await answer(page, '8×8');
      await act.tabTo(page.getByRole('radio', { name: 'Watch' }));
      await act.press('ArrowRight');
      await act.tabTo('#size');
      await act.press('Control+a');
      await act.type('4x4');
      await act.press('Enter');
      await page.locator('#draw-text', { hasText: 'Choose a square to begin' }).waitFor();
      for (let tries = 0; tries < 40; tries += 1) {
        if (await page.evaluate(() => document.activeElement?.getAttribute('role') === 'gridcell')) break;
        await act.press('Shift+Tab');
      }
      await act.press('Enter');
      await act.press('ArrowRight');
      await act.press('ArrowUp');
      await act.press('ArrowUp');
      check((await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).includes('possible'), 'the square is named with its move');
      await act.press('Enter');
      await page.locator('#draw-text', { hasText: '2 of 16 squares, now on b3' }).waitFor();
      // The 4x4 board has no tour at all.
      await page.locator('#draw-verdict', { hasText: 'cannot be finished' }).waitFor();
      await act.press('u');
      await page.locator('#draw-text', { hasText: '1 of 16 squares' }).waitFor();
    },
  },
  {
    name: 'a line is drawn by touch and finished by the server',
    view: 'phone',
    from: '/tours?mode=draw&board=5x5&kind=open',
    async run({ page, act }) {
      const point = await square(page, 'a1');
      await page.touchscreen.tap(point.x, point.y);
      await page.locator('#draw-text', { hasText: 'now on a1' }).waitFor();
      const [from, to] = [await square(page, 'a1'), await square(page, 'b3')];
      const session = await page.context().newCDPSession(page);
      const send = (type, touchPoints) => session.send('Input.dispatchTouchEvent', { type, touchPoints });
      await send('touchStart', [from]);
      for (let part = 1; part <= 5; part += 1) {
        await send('touchMove', [{ x: from.x + ((to.x - from.x) * part) / 5, y: from.y + ((to.y - from.y) * part) / 5 }]);
      }
      await send('touchEnd', []);
      await page.locator('#draw-text', { hasText: '2 of 25 squares, now on b3' }).waitFor();
      await page.locator('#draw-verdict', { hasText: 'can still be finished' }).waitFor();
      await act.tap('#draw-finish');
      await page.locator('#draw-verdict', { hasText: 'complete tour' }).waitFor();
    },
  },
  {
    name: 'tours are counted',
    from: '/tours?board=6x6&mode=count',
    async run({ page, act }) {
      await act.click('#count');
      await page.locator('#count-answer', { hasText: '9,862' }).waitFor();
    },
  },
  {
    name: 'the ten symmetric tours of 6x6 are shown and one is chosen',
    from: '/tours?board=6x6&mode=symmetric',
    async run({ page, act, check }) {
      await act.click('#symmetric');
      await page.locator('#gallery button').nth(9).waitFor();
      check((await page.locator('#gallery button').count()) === 10, 'ten tours');
      await act.click(page.locator('#gallery button').nth(4));
      await page.waitForFunction(() => document.querySelector('#board').order.length === 36);
    },
  },
  {
    name: 'a tour is saved as SVG, PNG and CSV',
    from: '/tours?board=6x6',
    async run({ page, act, check }) {
      await answer(page, '6×6');
      for (const [button, ending] of [['#save-svg', '.svg'], ['#save-png', '.png'], ['#save-csv', '.csv']]) {
        const [file] = await Promise.all([page.waitForEvent('download'), act.click(button)]);
        check(file.suggestedFilename() === `closed-tour-6x6${ending}`, `${file.suggestedFilename()} is the file's name`);
      }
    },
  },
];
