// The interface for programs.

export const page = '/api';

export const stories = [
  {
    name: 'a request is found, sent and answered',
    async run({ page, act, check }) {
      await act.click(page.getByRole('navigation').getByRole('link', { name: 'API' }));
      await act.fill('#filter', 'tours find');
      await act.click('#tours_find > summary');
      await act.click(page.locator('#tours_find').getByRole('button', { name: 'Send' }));
      await page.locator('#tours_find pre[aria-label="answer"]', { hasText: '"found": true' }).waitFor();
      check(await page.locator('#tours_find').getByRole('cell', { name: /^board.*required/ }).count() === 1, 'required fields are marked');
    },
  },
  {
    name: 'a wrong request by keyboard alone names its field',
    from: '/api#tours_find',
    expects: [/status of 400/],
    async run({ page, act }) {
      const text = page.locator('#try-tours-find');
      await text.waitFor();
      await act.tabTo(text, 120);
      await act.press('Control+a');
      await act.type('{"board":"0x8"}');
      await act.press('Tab');
      await act.press('Enter');
      await page.locator('#tours_find pre[aria-label="answer"]', { hasText: '"field": "board"' }).waitFor();
    },
  },
];
