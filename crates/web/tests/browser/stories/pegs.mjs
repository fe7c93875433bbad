// Peg solitaire.

export const page = '/pegs';

const place = (page, name) => page.locator(`#board [data-place="${name}"]`);
const verdict = (page, text) => page.locator('#verdict', { hasText: text }).waitFor();

export async function picture({ page }) {
  await page.goto(`${new URL(page.url()).origin}/pegs?board=triangle5&moves=a3-a1,a5-a3`, { waitUntil: 'networkidle' });
  await verdict(page, 'Can still be won');
}

export const stories = [
  {
    name: 'a lost position is recognised',
    async run({ page, act, check }) {
      await act.click(page.getByRole('navigation').getByRole('link', { name: 'Pegs' }));
      await act.click(page.getByRole('radio', { name: 'Set up' }));
      await act.fill('#drawing', '  .o.\n  .o.\n.......\n.......\n.......\n  .o.\n  ...');
      await verdict(page, 'Lost');
      check(await page.locator('#verdict').getByText('The proof').isVisible(), 'the proof is offered');
    },
  },
  {
    name: 'a choice made before the code of the page runs is not lost',
    async run({ page, act, check, address }) {
      await page.route('**/assets/pegs.js', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 1500));
        await route.continue();
      });
      await page.goto(`${address}/pegs`, { waitUntil: 'commit' });
      await act.click(page.getByRole('radio', { name: 'Set up' }));
      await verdict(page, 'Can still be won');
      check(await page.locator('#drawing').isVisible(), 'the board can be written');
    },
  },
  {
    name: 'a jump is dragged, undone, and another is clicked',
    from: '/pegs?board=triangle5',
    async run({ page, act, check }) {
      await verdict(page, 'Can still be won');
      await act.drag(place(page, 'a3'), place(page, 'a1'));
      await verdict(page, '13 pegs');
      await act.click('#undo');
      await verdict(page, '14 pegs');
      await act.click(place(page, 'c3'));
      await act.click(place(page, 'a1'));
      await verdict(page, '13 pegs');
      check(page.url().includes('moves=c3-a1'), 'the jump is in the address');
      await page.reload();
      await verdict(page, '13 pegs');
      await act.click('#hint');
      check((await page.locator('#board .target').count()) > 0, 'the hint chooses a peg and marks where it jumps');
    },
  },
  {
    name: 'the jump that lost is found',
    from: '/pegs?board=triangle5&moves=a3-a1,a5-a3,c5-a5',
    async run({ page, act }) {
      await verdict(page, 'Lost');
      await act.click(page.getByRole('radio', { name: 'Review' }));
      await act.click('#review');
      await page.locator('#review-answer', { hasText: 'Jump 3, c5-a5, lost the game' }).waitFor();
      await act.click(page.getByRole('button', { name: 'Show the position before it' }));
      await verdict(page, 'Can still be won');
    },
  },
  {
    name: 'a jump by keyboard alone',
    async run({ page, act, check }) {
      await act.tabTo(page.getByRole('navigation').getByRole('link', { name: 'Pegs' }));
      await act.press('Enter');
      await verdict(page, 'Can still be won');
      await act.tabTo('#board-name');
      await act.type('triangle5');
      await verdict(page, '14 pegs');
      for (let tries = 0; tries < 20; tries += 1) {
        if (await page.evaluate(() => document.activeElement?.getAttribute('role') === 'gridcell')) break;
        await act.press('Shift+Tab');
      }
      for (let tries = 0; tries < 6; tries += 1) {
        if ((await page.evaluate(() => document.activeElement?.getAttribute('data-place'))) === 'a3') break;
        await act.press('ArrowDown');
      }
      check((await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).startsWith('a3, peg, can jump to a1'), 'the peg is named with its jump');
      await act.press('Enter');
      await act.press('ArrowUp');
      await act.press('Enter');
      await verdict(page, '13 pegs');
      await act.press('u');
      await verdict(page, '14 pegs');
    },
  },
  {
    name: 'a jump is dragged and another tapped on a phone',
    view: 'phone',
    from: '/pegs?board=triangle5',
    async run({ page, act }) {
      await verdict(page, 'Can still be won');
      await act.touchDrag(place(page, 'a3'), place(page, 'a1'));
      await verdict(page, '13 pegs');
      await act.tap(place(page, 'a5'));
      await act.tap(place(page, 'a3'));
      await verdict(page, '12 pegs');
    },
  },
  {
    name: 'the shortest solution is played out',
    from: '/pegs?board=triangle5',
    async run({ page, act, check }) {
      await verdict(page, 'Can still be won');
      await act.click('#solve');
      await page.locator('#verdict', { hasText: 'Solved' }).waitFor({ timeout: 60_000 });
      check((await page.locator('#history li').count()) === 13, 'thirteen jumps leave one peg');
    },
  },
  {
    name: 'solutions are counted',
    from: '/pegs?board=triangle5',
    async run({ page, act }) {
      await verdict(page, 'Can still be won');
      await act.click('#count');
      await page.locator('#count-answer', { hasText: '29,760 ways' }).waitFor();
    },
  },
  {
    name: 'a puzzle is opened without giving the answer away',
    from: '/pegs?board=triangle5&mode=puzzle',
    async run({ page, act, check }) {
      await verdict(page, 'Can still be won');
      await act.click('#puzzle');
      await page.locator('#puzzle-answer', { hasText: 'Leave one peg' }).waitFor();
      await verdict(page, '6 pegs');
      check((await page.locator('#board .good, #board .bad').count()) === 0, 'no jump is marked');
    },
  },
  {
    name: "one's own board is drawn",
    from: '/pegs?mode=edit',
    async run({ page, act, check }) {
      await act.fill('#drawing', 'oo.o\noooo\noooo');
      await page.locator('#board-name', { hasText: 'own board' }).waitFor();
      await act.click(place(page, 'd3'));
      await verdict(page, 'Lost');
      check((await page.locator('#board .peg').count()) === 10, 'ten pegs are left');
    },
  },
  {
    name: 'a large triangle by its name, with a start that can be won',
    from: '/pegs?board=triangle7',
    async run({ page, act, check }) {
      await verdict(page, 'Can still be won');
      check((await page.locator('#board-name').inputValue()) === 'triangle7', 'the board is chosen in the list');
      check((await page.locator('#board .peg').count()) === 27, '27 pegs');
      await act.click(page.getByRole('radio', { name: 'Set up' }));
      await act.click('#edit-full');
      await verdict(page, 'A game begins with an empty hole');
    },
  },
  {
    name: 'an impossible jump stays in the text',
    from: '/pegs?board=triangle5&mode=review',
    async run({ page, act, check }) {
      await verdict(page, 'Can still be won');
      await act.fill('#game', 'a3-a1 b2-b3');
      await act.click('#review');
      await page.locator('#review-answer', { hasText: '"b2-b3" is no jump' }).waitFor();
      check((await page.locator('#game').inputValue()) === 'a3-a1 b2-b3', 'what was written is there');
    },
  },
];
