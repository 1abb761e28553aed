/** The part of WebAssembly's interface that is used here: Node has it, but its types come only with those of a browser. */
declare global {
  namespace WebAssembly {
    class Memory {
      readonly buffer: ArrayBuffer;
      /** Grows by so many pages of 64 KiB; answers how many there were. */
      grow(pages: number): number;
    }
    type Module = object;
    type Imports = Readonly<Record<string, object>>;
    type Exports = Readonly<Record<string, object | number>>;
    class Instance {
      constructor(module: Module, imports: Imports);
      readonly exports: Exports;
    }
    function compile(bytes: Uint8Array): Promise<Module>;
  }
}

export {};
