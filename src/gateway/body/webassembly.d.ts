// Declares the parts of WebAssembly that the search for strings uses. TypeScript declares them only for browsers.

declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: Readonly<{ initial: number }>);
    readonly buffer: ArrayBuffer;
  }
  const Module: new (bytes: Uint8Array) => object;
  class Instance {
    constructor(
      module: object,
      imports: Readonly<Record<string, Readonly<Record<string, Memory>>>>,
    );
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
