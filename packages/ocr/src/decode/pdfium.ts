import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PDFiumModule } from '@hyzyla/pdfium';
import './web-assembly.ts';

/** The functions of PDFium's C interface that are used here; pointers and handles are numbers, 0 is none. */
export interface Pdfium {
  readonly HEAPU8: Uint8Array;
  _malloc(size: number): number;
  _free(pointer: number): void;
  _FPDF_InitLibrary(): void;
  _FPDF_LoadMemDocument(pointer: number, size: number, password: number): number;
  _FPDF_CloseDocument(document: number): void;
  _FPDF_GetLastError(): number;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDFPage_GetAnnotCount(page: number): number;
  /** Makes the annotations part of the page's content: 0 it failed, 1 done, 2 there was nothing to do. */
  _FPDFPage_Flatten(page: number, usage: number): number;
  _FPDF_GetPageWidthF(page: number): number;
  _FPDF_GetPageHeightF(page: number): number;
  _FPDFPage_CountObjects(page: number): number;
  _FPDFPage_GetObject(page: number, index: number): number;
  _FPDFPageObj_GetType(object: number): number;
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number;
  _FPDFFormObj_CountObjects(form: number): number;
  _FPDFFormObj_GetObject(form: number, index: number): number;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, pointer: number, stride: number): number;
  _FPDFBitmap_FillRect(bitmap: number, left: number, top: number, width: number, height: number, colour: number): void;
  _FPDFBitmap_Destroy(bitmap: number): void;
  _FPDF_RenderPageBitmap(
    bitmap: number,
    page: number,
    x: number,
    y: number,
    width: number,
    height: number,
    rotate: number,
    flags: number,
  ): void;
  _FPDF_PageToDevice(
    page: number,
    x: number,
    y: number,
    width: number,
    height: number,
    rotate: number,
    pageX: number,
    pageY: number,
    deviceX: number,
    deviceY: number,
  ): number;
  _FPDFText_LoadPage(page: number): number;
  _FPDFText_ClosePage(textPage: number): void;
  _FPDFText_CountChars(textPage: number): number;
  _FPDFText_GetUnicode(textPage: number, index: number): number;
  _FPDFText_HasUnicodeMapError(textPage: number, index: number): number;
  _FPDFText_IsHyphen(textPage: number, index: number): number;
  _FPDFText_GetFontSize(textPage: number, index: number): number;
  _FPDFText_GetCharAngle(textPage: number, index: number): number;
  _FPDFText_GetLooseCharBox(textPage: number, index: number, rectangle: number): number;
  _FPDFText_GetTextObject(textPage: number, index: number): number;
  _FPDFTextObj_GetTextRenderMode(object: number): number;
}

const FUNCTIONS: readonly (keyof Pdfium)[] = [
  '_malloc',
  '_free',
  '_FPDF_InitLibrary',
  '_FPDF_LoadMemDocument',
  '_FPDF_CloseDocument',
  '_FPDF_GetLastError',
  '_FPDF_GetPageCount',
  '_FPDF_LoadPage',
  '_FPDF_ClosePage',
  '_FPDFPage_GetAnnotCount',
  '_FPDFPage_Flatten',
  '_FPDF_GetPageWidthF',
  '_FPDF_GetPageHeightF',
  '_FPDFPage_CountObjects',
  '_FPDFPage_GetObject',
  '_FPDFPageObj_GetType',
  '_FPDFPageObj_GetBounds',
  '_FPDFFormObj_CountObjects',
  '_FPDFFormObj_GetObject',
  '_FPDFBitmap_CreateEx',
  '_FPDFBitmap_FillRect',
  '_FPDFBitmap_Destroy',
  '_FPDF_RenderPageBitmap',
  '_FPDF_PageToDevice',
  '_FPDFText_LoadPage',
  '_FPDFText_ClosePage',
  '_FPDFText_CountChars',
  '_FPDFText_GetUnicode',
  '_FPDFText_HasUnicodeMapError',
  '_FPDFText_IsHyphen',
  '_FPDFText_GetFontSize',
  '_FPDFText_GetCharAngle',
  '_FPDFText_GetLooseCharBox',
  '_FPDFText_GetTextObject',
  '_FPDFTextObj_GetTextRenderMode',
];

function isPdfium(module: object): module is Pdfium {
  return FUNCTIONS.every((name) => typeof Reflect.get(module, name) === 'function');
}

/** WASM memory never shrinks: past this size an instance is not used for another document. */
const RETIRE_BYTES = 192 * 1024 * 1024;

/**
 * Most memory of one instance: room for the largest file and the largest page beside it. What wants more (forms that draw forms tenfold, a
 * stream that unpacks to gigabytes) fails within the instance, not the process.
 */
const MOST_BYTES = 512 * 1024 * 1024;
const WASM_PAGE_BYTES = 64 * 1024;

let shared: Promise<Pdfium> | null = null;

/** Has the memory refuse to grow past the bound, which PDFium takes for a machine without memory. */
function boundMemory(exports: WebAssembly.Exports): void {
  for (const memory of Object.values(exports)) {
    if (!(memory instanceof WebAssembly.Memory)) continue;
    const grow = memory.grow.bind(memory);
    memory.grow = (pages) => {
      if (memory.buffer.byteLength + pages * WASM_PAGE_BYTES > MOST_BYTES) throw new RangeError('PDFium has used up its memory');
      return grow(pages);
    };
  }
}

type InstantiateWasm = (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) => WebAssembly.Exports;

/** Compiled once for all instances of this thread. */
let compiled: Promise<WebAssembly.Module> | null = null;

function compilePdfium(): Promise<WebAssembly.Module> {
  compiled ??= readFile(createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm')).then((bytes) => WebAssembly.compile(bytes));
  return compiled;
}

async function start(): Promise<Pdfium> {
  const compiledModule = await compilePdfium();
  const instantiateWasm: InstantiateWasm = (imports, receive) => {
    const instance = new WebAssembly.Instance(compiledModule, imports);
    boundMemory(instance.exports);
    receive(instance);
    return instance.exports;
  };
  const module: object = await PDFiumModule({ instantiateWasm });
  if (!isPdfium(module))
    throw new Error('@hyzyla/pdfium lacks a function of PDFium that Galley uses; install the version that package.json pins.');
  module._FPDF_InitLibrary();
  return module;
}

/** The instance of this thread. */
export function acquirePdfium(): Promise<Pdfium> {
  shared ??= start();
  return shared;
}

/** Forgets the instance after a trap (its memory is in an unknown state), or when it has grown large. */
export function retirePdfium(instance: Pdfium, trapped: boolean): void {
  if (trapped || instance.HEAPU8.length > RETIRE_BYTES) shared = null;
}

/** Runs with `size` bytes of WASM memory, given back afterwards. Throws RangeError when there is no room. */
export function withMemory<T>(pdfium: Pdfium, size: number, use: (pointer: number) => T): T {
  const pointer = pdfium._malloc(size);
  if (pointer === 0) throw new RangeError(`PDFium has no room for ${size} bytes`);
  try {
    return use(pointer);
  } finally {
    pdfium._free(pointer);
  }
}

export function viewOf(pdfium: Pdfium): DataView {
  return new DataView(pdfium.HEAPU8.buffer);
}
