// The front page: where a newcomer begins.

export const page = '/';

export const stories = [
  {
    name: 'names every page and leads to it',
    async run({ page, act, check }) {
      for (const name of ['Tours', 'Pegs', 'Chess', 'Endgames', 'Parallel search', 'Lab']) {
        await act.click(page.getByRole('navigation').getByRole('link', { name, exact: true }));
        await page.locator('nav a[aria-current="page"]').filter({ hasText: name }).waitFor();
        await page.waitForLoadState('domcontentloaded');
        check((await page.locator('h1').count()) === 1, `${name} has one main heading`);
        check((await page.locator('nav a[aria-current="page"]').innerText()) === name, `${name} is marked as the current page`);
      }
    },
  },
];
