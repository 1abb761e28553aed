const WIDTH = 1240;
const HEIGHT = 900;
const MARGIN = 110;

const LINES = [
  { text: 'Galley', font: '600 56px serif', after: 92 },
  { text: 'A galley is a ship’s kitchen and a printer’s tray:', font: '32px serif', after: 48 },
  { text: 'the kitchen that never drops an order,', font: '32px serif', after: 48 },
  { text: 'serving printed pages.', font: '32px serif', after: 84 },
] as const;

const ROWS = [
  ['Item', 'Quantity', 'Price'],
  ['Composing stick', '2', '48.00'],
  ['Brass rule', '14', '3.50'],
  ['Ink, black', '1', '21.75'],
] as const;

const COLUMNS = [MARGIN, 640, 900] as const;

function drawTable(context: CanvasRenderingContext2D, top: number): void {
  ROWS.forEach((row, index) => {
    const y = top + index * 58;
    context.font = `${index === 0 ? '600 ' : ''}30px sans-serif`;
    row.forEach((cell, column) => {
      context.fillText(cell, COLUMNS[column] ?? MARGIN, y);
    });
    context.fillRect(MARGIN, y + 18, WIDTH - 2 * MARGIN, 2);
  });
}

/** A page with a title, a paragraph and a table, drawn here so that a newcomer without a file at hand can see one read. */
export async function samplePage(name: string): Promise<File> {
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser has no canvas to draw the sample page on');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = '#111';
  let y = 150;
  for (const line of LINES) {
    context.font = line.font;
    context.fillText(line.text, MARGIN, y);
    y += line.after;
  }
  drawTable(context, y + 20);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error('this browser could not make a picture of the sample page');
  return new File([blob], name, { type: 'image/png' });
}
