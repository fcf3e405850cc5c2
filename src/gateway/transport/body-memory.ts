// Keeps the memory of request bodies for later requests. Memory that was used a moment ago is in the processor's cache, and
// memory that the garbage collector returns is not.

/** Shorter copies come from Node's pool. */
const keptBytesMin = 4 * 1024;
const keptBytesMax = 64 * 1024;
/** 4 MiB in total. */
const keptMax = 64;

export type BodyMemory = Readonly<{
  take: (length: number) => Buffer;
  /** `bytes` came from `take`, and nothing refers to them any more. */
  giveBack: (bytes: Buffer) => void;
}>;

export function createBodyMemory(): BodyMemory {
  const kept: Buffer[] = [];
  return {
    take: (length) => {
      if (length < keptBytesMin || length > keptBytesMax) return Buffer.allocUnsafe(length);
      const whole = kept.pop() ?? Buffer.allocUnsafeSlow(keptBytesMax);
      return whole.subarray(0, length);
    },
    giveBack: (bytes) => {
      const { buffer } = bytes;
      const isKept = bytes.length >= keptBytesMin && buffer.byteLength === keptBytesMax;
      if (isKept && kept.length < keptMax) kept.push(Buffer.from(buffer));
    },
  };
}
