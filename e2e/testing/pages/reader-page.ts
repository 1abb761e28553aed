import { expect, type Locator, type Page } from '@playwright/test';
import { folded } from '../api.ts';

/** The page picture with its boxes, and the text beside it. */
export class ReaderPage {
  readonly picture: Locator;
  readonly boxes: Locator;
  readonly text: Locator;
  readonly thumbnails: Locator;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    this.picture = page.getByRole('img', { name: /^Picture of page/ });
    this.boxes = page.locator('svg.overlay [data-target]');
    this.text = page.getByRole('tabpanel');
    this.thumbnails = page.getByRole('navigation', { name: 'Pages of the document' }).getByRole('link');
  }

  async open(taskId: string, page = 1): Promise<void> {
    await this.page.goto(`/tasks/${taskId}/read?page=${page}`);
  }

  /** Waits until the picture is drawn, by what the browser decoded. */
  async expectPicture(): Promise<void> {
    await expect(this.picture).toBeVisible();
    await expect
      .poll(() => this.picture.evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0)))
      .toBeGreaterThan(0);
  }

  /** Waits for the text pane to say this, white space folded. */
  async expectText(text: string): Promise<void> {
    await expect.poll(async () => folded(await this.text.innerText())).toContain(folded(text));
  }

  /** The piece of text that holds these words, and its box on the picture. */
  async link(words: string): Promise<{ piece: Locator; box: Locator }> {
    const piece = this.page.locator('.linked').filter({ hasText: words });
    const key = await piece.getAttribute('data-key');
    return { piece, box: this.page.locator(`svg.overlay [data-target="${key}"]`) };
  }
}
