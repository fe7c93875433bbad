// Parallel search: the strategies on one position, live.

export const page = '/parallel';

export const picture = async ({ page }) => {
  if (await page.locator('#time').isVisible()) await page.fill('#time', '0.5');
  await page.click('#start');
  await page.locator('#summary').waitFor({ timeout: 120_000 });
};

const card = (page, name) => page.locator(`[data-strategy="${name}"]`);

export const stories = [
  {
    name: 'Young Brothers Wait and Lazy SMP, live, by mouse',
    async run({ page, act, check }) {
      await act.click(page.getByRole('navigation').getByRole('link', { name: 'Parallel search' }));
      await act.click('#start');
      await card(page, 'YBWC').locator('.busy').first().waitFor({ timeout: 60_000 });
      check(await page.locator('.search-card.running').isVisible(), 'the search that runs is marked');
      await page.locator('#summary').waitFor({ timeout: 120_000 });
      for (const name of ['YBWC', 'LazySMP']) {
        check(/×|did not reach/.test(await card(page, name).innerText()), `${name} has a result`);
        check((await card(page, name).locator('.timeline .lane').count()) >= 2, `${name} shows each thread`);
      }
      console.log(`  live comparison of YBWC and Lazy SMP: ${act.actions} actions from the front page`);
      check((await page.locator('#rows tr').count()) === 5, 'five searches are compared');
    },
  },
  {
    name: 'by keys alone, and stopped',
    served: true,
    from: '/parallel?strategies=LazySMP',
    async run({ page, act, check }) {
      await act.tabTo(page.locator('#time'));
      await page.keyboard.press('Control+a');
      await act.type('0.5');
      await act.press('Enter');
      await page.locator('#summary').waitFor({ timeout: 60_000 });
      check((await page.locator('#rows tr').count()) === 2, 'one thread and Lazy SMP');
      await page.fill('#time', '30');
      await act.tabTo(page.locator('#start'));
      await act.press('Enter');
      await page.locator('.search-card.running').waitFor();
      await act.tabTo(page.locator('#stop'));
      await act.press('Enter');
      await page.locator('#fault', { hasText: /stopped/ }).waitFor();
      check(!(await page.locator('#stop').isVisible()), 'the search is stopped');
    },
  },
];
