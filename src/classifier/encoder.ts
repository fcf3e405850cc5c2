// Defines encoders, which turn a text into a direction: texts of similar meaning have similar
// directions. Vectors of different encoders cannot be compared, so each encoder has an identity,
// which is stored with every centroid.

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
   * Rejects if the encoder cannot be loaded, too many texts are queued, or the time limit is
   * exceeded. Null sets no time limit.
   */
  embed: (
    texts: readonly string[],
    options: Readonly<{ timeoutMs: number | null }>,
  ) => Promise<readonly (Vector | null)[]>;
}>;

/** A classifier reads this many characters. */
export const textMax = 2_000;

/** The fast one is loaded on first use. */
export type Encoders = Readonly<{
  fast: Readonly<{ identity: string; open: () => Encoder }>;
  /** Null if none is configured. */
  refined: RefinedEncoder | null;
}>;
