import { expect, type Locator, type Page } from '@playwright/test';

/** Tasks that will not run again until someone revives them. */
export class DeadLettersPage {
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await this.page.goto('/dead-letters');
  }

  /** The group of all dead letters with this code. */
  group(code: string): Locator {
    return this.page.locator('section').filter({ has: this.page.getByText(code, { exact: true }) });
  }

  async show(code: string): Promise<Locator> {
    await this.page.getByRole('button', { name: `Show dead letters with ${code}` }).click();
    return this.page.getByRole('table', { name: `Dead letters with ${code}` });
  }

  async select(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.page.getByRole('checkbox', { name: `Select ${name}` }).check({ force: true });
  }

  /** Answers the question that the page asks before it does something. */
  async answer(title: string, button: string): Promise<void> {
    const dialog = this.page.getByRole('dialog', { name: title });
    await dialog.getByRole('button', { name: button, exact: true }).click();
    await expect(dialog).toBeHidden();
  }
}
