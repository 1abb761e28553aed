import type { Browser } from '@playwright/test';

interface Item {
  readonly item: string;
  readonly what: string;
  readonly quantity: number;
  readonly price: number;
}

const ITEMS: readonly Item[] = [
  { item: '1001', what: 'Digital pressure gauge, 0-16 bar', quantity: 12, price: 84.5 },
  { item: '1044', what: 'Calibration certificate (ISO 17025)', quantity: 12, price: 35 },
  { item: '2310', what: 'Stainless steel fitting 1/4 NPT', quantity: 48, price: 6.75 },
  { item: '2311', what: 'Copper sealing washer, pack of 100', quantity: 3, price: 9.2 },
  { item: '5502', what: 'Transport case, foam lined', quantity: 2, price: 118.9 },
  { item: '9000', what: 'Carriage and insurance', quantity: 1, price: 42 },
];

const money = (value: number): string => value.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function invoice(number: number): string {
  const rows = ITEMS.map(
    ({ item, what, quantity, price }) =>
      `<tr><td>${item}<td>${what}<td class="n">${quantity + (number % 5)}<td class="n">${money(price)}<td class="n">${money((quantity + (number % 5)) * price)}`,
  );
  const net = ITEMS.reduce((sum, { quantity, price }) => sum + (quantity + (number % 5)) * price, 0);
  return `<section><h1>INVOICE</h1>
    <div class="two"><p>Northwind Instruments Ltd.<br>14 Quayside Road, Bristol BS1 4RW<br>VAT Reg: GB 283 4471 09</p>
    <p class="right">Invoice No: NW-2024-${String(810 + number).padStart(5, '0')}<br>Date: ${String(number).padStart(2, '0')} Oct 2024<br>Due: ${String(number).padStart(2, '0')} Nov 2024</p></div>
    <p>Bill to: Meridian Laboratories, 220 Harrow Lane, Leeds LS2 8QF</p>
    <table><tr><th>Item<th>Description<th class="n">Qty<th class="n">Unit price<th class="n">Amount</tr>${rows.join('</tr>')}</tr></table>
    <p class="sum">Subtotal ${money(net)}<br>VAT 20% ${money(net * 0.2)}<br>Total GBP ${money(net * 1.2)}</p>
    <p>Payment by bank transfer: IBAN GB29 NWBK 6016 1331 9268 19, BIC NWBKGB2L.</p><p>Thank you for your business.</p></section>`;
}

const LETTER = [
  'The survey of the east wing was completed on the ninth of October. Three of the five beams need no more than cleaning; the two nearest the stair are to be replaced before the frost.',
  'We have asked two firms for their terms. The first can begin within the fortnight and asks for a third in advance, the second not before the new year, at a price lower by a tenth.',
  'The board is asked to decide at its next meeting. Until then the stair stays closed, and the reading room is reached through the court.',
];

function letter(place: string): string {
  return `<section class="letter"><h1>Report on the ${place}</h1>${LETTER.map((text) => `<p>${text}</p>`).join('')}<h2>What is to be done</h2>
    <ul><li>Replace two beams beside the stair</li><li>Clean and oil the remaining three</li><li>Close the stair until both is done</li></ul></section>`;
}

const RECEIPT = `<section class="zh"><h1>入库单</h1><p>仓库：北方仪器有限公司 三号库　日期：2026 年 11 月 28 日</p>
  <table><tr><th>编号<th>品名<th class="n">数量<th>备注</tr>
  <tr><td>A-1001<td>数字压力表<td class="n">12<td>合格</tr><tr><td>A-2310<td>不锈钢接头<td class="n">48<td>合格</tr>
  <tr><td>A-5502<td>运输箱<td class="n">2<td>一件外箱破损</tr></table>
  <p>以上货物已全部清点入库，数量与送货单一致。经办人签字后生效。</p></section>`;

/** A sheet of three metres by three: more pixels than a page may have. */
const PLAN = '<section class="plan"><h1>Site plan, 1 : 20</h1></section>';

const STYLE = `@page { size: A4; margin: 0; } @page plan { size: 3000mm 3000mm; } .plan { page: plan; }
  body { margin: 0; background: #fff; color: #111; font: 15px/1.5 'Liberation Sans', 'DejaVu Sans', sans-serif; }
  section { width: 700px; padding: 56px 47px; break-after: page; } h1 { margin: 0 0 18px; font-size: 26px; } h2 { margin: 20px 0 6px; font-size: 19px; }
  p { margin: 0 0 14px; } .two { display: flex; justify-content: space-between; } .right, .n { text-align: right; } .sum { margin: 18px 0; text-align: right; }
  table { width: 100%; border-collapse: collapse; } td, th { padding: 5px 9px; border: 1px solid #333; text-align: left; } td.n, th.n { text-align: right; }
  .letter { font-family: 'Liberation Serif', 'DejaVu Serif', serif; font-size: 18px; } .zh { font-family: 'Noto Sans CJK SC', sans-serif; font-size: 17px; }`;

/** What a desk receives in a day, drawn by the browser. */
export interface Documents {
  /** Twelve pages of a born-digital PDF; the fourth is too large to be drawn. */
  readonly invoices: Buffer;
  /** One invoice as a picture, which has to be read by OCR. */
  readonly scannedInvoice: Buffer;
  readonly letter: Buffer;
  readonly receipt: Buffer;
}

export async function makeDocuments(browser: Browser): Promise<Documents> {
  const context = await browser.newContext({ viewport: { width: 794, height: 700 }, deviceScaleFactor: 2 });
  const page = await context.newPage();
  const draw = async (sections: readonly string[]): Promise<void> => {
    await page.setContent(`<!doctype html><meta charset="utf-8"><title>document</title><style>${STYLE}</style>${sections.join('')}`);
  };
  const picture = async (section: string): Promise<Buffer> => {
    await draw([section]);
    return page.locator('body').screenshot();
  };
  try {
    const [scannedInvoice, letterPicture, receipt] = [
      await picture(invoice(7)),
      await picture(letter('east wing')),
      await picture(RECEIPT),
    ];
    const sheets = Array.from({ length: 10 }, (_, index) => invoice(index + 1));
    await draw([letter('north gallery'), ...sheets.slice(0, 2), PLAN, ...sheets.slice(2)]);
    const invoices = await page.pdf({ preferCSSPageSize: true, printBackground: true });
    return { invoices, scannedInvoice, letter: letterPicture, receipt };
  } finally {
    await context.close();
  }
}
