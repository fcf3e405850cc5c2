// Keeps the memory of request bodies for later requests. Memory that was used a moment ago is in the processor's cache, and
// memory that the garbage collector returns is not.

/** Shorter bodies are in Node's pool. */
const keptBytesMin = 4 * 1024;
export const blockBytes = 64 * 1024;
/** 4 MiB in total, with those in use. Otherwise short bodies could take many times the memory that is reserved for bodies. */
const blocksMax = 64;

export type BodyMemory = Readonly<{
  take: (length: number) => Buffer;
  /** `bytes` came from `take`, and nothing refers to them any more. */
  giveBack: (bytes: Buffer) => void;
  /** `bytes` came from `take`, and something may still refer to them. The garbage collector frees them. */
  forget: (bytes: Buffer) => void;
}>;

export function createBodyMemory(): BodyMemory {
  const blocks = new Set<ArrayBufferLike>();
  const free: ArrayBufferLike[] = [];
  const addBlock = (): ArrayBufferLike => {
    const { buffer } = Buffer.allocUnsafeSlow(blockBytes);
    blocks.add(buffer);
    return buffer;
  };
  return {
    take: (length) => {
      if (length < keptBytesMin || length > blockBytes) return Buffer.allocUnsafe(length);
      const block = free.pop();
      if (block === undefined && blocks.size >= blocksMax) return Buffer.allocUnsafeSlow(length);
      return Buffer.from(block ?? addBlock(), 0, length);
    },
    giveBack: ({ buffer }) => {
      if (blocks.has(buffer)) free.push(buffer);
    },
    forget: ({ buffer }) => void blocks.delete(buffer),
  };
}
