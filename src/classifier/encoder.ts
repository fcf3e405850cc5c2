// An encoder turns a text into a direction: texts of one meaning point alike. What two encoders make cannot be compared, so
// each has an identity, which travels with every centroid that was made with it.

/** Of Euclidean length 1. */
export type Vector = Float32Array;

/** Works in process, within microseconds. */
export type Encoder = Readonly<{
  /** Equal for encoders that make equal vectors of equal texts. */
  identity: string;
  dimensions: number;
  /** Null for a text in which it knows nothing. Reads the first `textMax` characters. */
  embed: (text: string) => Vector | null;
}>;

/** Works elsewhere, within milliseconds. */
export type RefinedEncoder = Readonly<{
  identity: string;
  /**
   * The vectors of the texts, in their order. Rejects when the encoder cannot be loaded, when too many wait for it, and when the
   * time is over; null waits as long as it takes.
   */
  embed: (
    texts: readonly string[],
    options: Readonly<{ timeoutMs: number | null }>,
  ) => Promise<readonly (Vector | null)[]>;
}>;

/** A classifier reads so many characters of a prompt, or of an example. */
export const textMax = 2_000;

/** What a process classifies with. The fast one is loaded when it is first needed. */
export type Encoders = Readonly<{
  fast: Readonly<{ identity: string; open: () => Encoder }>;
  /** Null when none is configured. */
  refined: RefinedEncoder | null;
}>;
