import type { Locator, Page } from '@playwright/test';
import type { TestFile } from '../api.ts';

/** The page that files are uploaded on. */
export class UploadPage {
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await this.page.goto('/upload');
  }

  /** Chooses one of a setting's values for the files added from here on. */
  async set(setting: 'Priority' | 'Engine' | 'Duplicates', value: string | RegExp): Promise<void> {
    await this.page.getByRole('complementary', { name: 'For these files' }).getByRole('button', { name: setting }).click();
    await this.page.getByRole('menuitemradio', { name: value }).click();
  }

  /** Adds files by the browser's own chooser, as a person does. */
  async add(...files: readonly TestFile[]): Promise<void> {
    const chooser = this.page.waitForEvent('filechooser');
    await this.page.getByRole('button', { name: /^(Choose files|choose)$/ }).click();
    await (await chooser).setFiles(files.map(({ name, bytes }) => ({ name, mimeType: '', buffer: bytes })));
  }

  /** The row of a file, by the name it was uploaded with. */
  row(name: string): Locator {
    return this.page.getByRole('row').filter({ has: this.page.getByText(name, { exact: false }) });
  }

  /** The id of the task that a file became, out of its row's link. */
  async taskId(name: string): Promise<string> {
    const address = await this.row(name).getByRole('link').getAttribute('href');
    const id = /\/tasks\/([^/?]+)/.exec(address ?? '')?.[1];
    if (id === undefined) throw new Error(`the row of ${name} leads to ${address}, which is no task`);
    return decodeURIComponent(id);
  }

  /**
   * Writes down each state that a file's row shows from here on, however short. Call what it returns to read them, in order.
   */
  async recordStates(name: string): Promise<() => Promise<string[]>> {
    const states = await this.row(name)
      .locator('.upload-task')
      .evaluateHandle((shown) => {
        const seen: string[] = [shown.textContent ?? ''];
        const list = shown.closest('table');
        const key = shown.closest('tr')?.dataset.key;
        new MutationObserver(() => {
          const text = list?.querySelector(`tr[data-key="${key}"] .upload-task`)?.textContent;
          if (text !== undefined && text !== null && text !== seen.at(-1)) seen.push(text);
        }).observe(list ?? document.body, { subtree: true, childList: true, characterData: true });
        return seen;
      });
    return () => states.evaluate((seen) => seen);
  }
}
