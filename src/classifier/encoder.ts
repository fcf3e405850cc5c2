// Defines encoders. An encoder turns a text into a direction, and texts of similar meaning point in
// similar directions. Vectors of different encoders cannot be compared, so each encoder has an
// identity, which is stored with every centroid made with it.

/** Has Euclidean length 1. */
export type Vector = Float32Array;

/** Runs in process, within microseconds. */
export type Encoder = Readonly<{
  /** Equal for encoders that make equal vectors from equal texts. */
  identity: string;
  dimensions: number;
  /** Null if the encoder knows nothing in the text. Reads the first `textMax` characters. */
  embed: (text: string) => Vector | null;
}>;

/** Runs outside the request thread, within milliseconds. */
export type RefinedEncoder = Readonly<{
  identity: string;
  /**
   * Returns the vectors of the texts, in their order. Rejects if the encoder cannot be loaded, too
   * many texts are queued, or the time limit is exceeded. Null sets no time limit.
   */
  embed: (
    texts: readonly string[],
    options: Readonly<{ timeoutMs: number | null }>,
  ) => Promise<readonly (Vector | null)[]>;
}>;

/** The number of characters of a prompt or example that a classifier reads. */
export const textMax = 2_000;

/** The encoders of a process. The fast one is loaded on first use. */
export type Encoders = Readonly<{
  fast: Readonly<{ identity: string; open: () => Encoder }>;
  /** Null if none is configured. */
  refined: RefinedEncoder | null;
}>;
