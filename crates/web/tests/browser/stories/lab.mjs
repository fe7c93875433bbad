// Experiments and their reports.

export const page = '/lab';

export const stories = [
  {
    name: 'a report is made and read',
    served: true,
    async run({ page, act, check }) {
      await act.click(page.getByRole('navigation').getByRole('link', { name: 'Lab' }));
      const experiment = page.locator('#experiments li', { hasText: 'tours-symmetric' });
      await act.click(experiment.getByRole('button', { name: /^Run/ }));
      await page.locator('#running').waitFor();
      const link = page.locator('#lab-answer').getByRole('link', { name: 'Read the report' });
      await link.waitFor({ timeout: 180_000 });
      check((await page.locator('#lab-answer').innerText()).includes('agree with known ones'), 'the results are checked');
      await act.click(link);
      await page.locator('table').first().waitFor();
      check((await page.locator('h1').innerText()).length > 0, 'the report has a heading');
    },
  },
  {
    name: 'an experiment is started and stopped by keyboard alone',
    served: true,
    async run({ page, act }) {
      await act.tabTo(page.getByRole('navigation').getByRole('link', { name: 'Lab' }));
      await act.press('Enter');
      await page.locator('#experiments li').first().waitFor();
      await act.tabTo(page.locator('#experiments button').nth(1));
      await act.press('Enter');
      await page.locator('#running').waitFor();
      await act.tabTo('#stop');
      await act.press('Enter');
      await page.locator('#lab-answer', { hasText: 'The work was stopped' }).waitFor();
    },
  },
];
