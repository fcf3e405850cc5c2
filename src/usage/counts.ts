// Defines the counts of a request in one form for all providers: the two totals of tokens, their
// parts, and other units. Rows, metrics, price cards and forms follow from the two tables. The UI
// reads them too.

type Part = Readonly<{
  /** The member of a usage row. */
  name: string;
  /** The member of `UsageCounts`. */
  key: string;
  /** The total that includes it: `promptTokens` for input, `completionTokens` for output. */
  side: 'input' | 'output';
  /** The label in metrics, and the price of a price card. */
  kind: string;
  /** The name in the UI. */
  label: string;
}>;

/**
 * The parts of one side do not overlap: a cached audio token is a cache read. A write without a
 * known time to live counts as `cache_write_5m_tokens`. OpenAI's times to live are longer: its 30
 * minutes count as 5 minutes, and its 12 hours as 1 hour.
 */
export const tokenParts = [
  {
    name: 'cache_read_tokens',
    key: 'cacheReadTokens',
    side: 'input',
    kind: 'cache_read',
    label: 'Cache reads',
  },
  {
    name: 'cache_write_5m_tokens',
    key: 'cacheWrite5mTokens',
    side: 'input',
    kind: 'cache_write_5m',
    label: 'Cache writes, 5 minutes',
  },
  {
    name: 'cache_write_1h_tokens',
    key: 'cacheWrite1hTokens',
    side: 'input',
    kind: 'cache_write_1h',
    label: 'Cache writes, 1 hour',
  },
  {
    name: 'input_audio_tokens',
    key: 'inputAudioTokens',
    side: 'input',
    kind: 'input_audio',
    label: 'Audio input',
  },
  {
    name: 'input_image_tokens',
    key: 'inputImageTokens',
    side: 'input',
    kind: 'input_image',
    label: 'Image input',
  },
  {
    name: 'reasoning_tokens',
    key: 'reasoningTokens',
    side: 'output',
    kind: 'reasoning',
    label: 'Reasoning',
  },
  {
    name: 'output_audio_tokens',
    key: 'outputAudioTokens',
    side: 'output',
    kind: 'output_audio',
    label: 'Audio output',
  },
  {
    name: 'output_image_tokens',
    key: 'outputImageTokens',
    side: 'output',
    kind: 'output_image',
    label: 'Image output',
  },
] as const satisfies readonly Part[];

type Unit = Readonly<{
  /** The member of `units` in a usage row. */
  name: string;
  /** The price of a price card. */
  price: string;
  /** The number of units that the price pays for. */
  per: 1 | 1_000_000;
  /** The total of tokens that the unit is part of at providers that bill it as tokens. */
  side: Part['side'];
  /** The part of that total that counts the same thing in tokens. Null if there is none. */
  part: PartKey | null;
  /** The name in the UI, and that of the price. */
  label: string;
  priceLabel: string;
  /** The quantity that the price pays for. */
  pays: 'image' | 'million_pixels' | 'million_seconds' | 'million_characters';
  /** The name in exports of charges. */
  unit: 'Images' | 'Pixels' | 'Seconds' | 'Characters';
}>;

/** Units that providers bill besides tokens and calls of tools. */
export const unitCounts = [
  {
    name: 'output_images',
    price: 'per_output_image',
    per: 1,
    side: 'output',
    part: 'outputImageTokens',
    label: 'Generated images',
    priceLabel: 'Each generated image',
    pays: 'image',
    unit: 'Images',
  },
  {
    name: 'output_pixels',
    price: 'output_pixels',
    per: 1_000_000,
    side: 'output',
    part: 'outputImageTokens',
    label: 'Pixels of generated images',
    priceLabel: 'Million pixels of generated images',
    pays: 'million_pixels',
    unit: 'Pixels',
  },
  {
    name: 'input_images',
    price: 'per_input_image',
    per: 1,
    side: 'input',
    part: 'inputImageTokens',
    label: 'Images of the request',
    priceLabel: 'Each image of the request',
    pays: 'image',
    unit: 'Images',
  },
  {
    name: 'input_seconds',
    price: 'input_seconds',
    per: 1_000_000,
    side: 'input',
    part: 'inputAudioTokens',
    label: 'Seconds of audio input',
    priceLabel: 'Million seconds of audio input',
    pays: 'million_seconds',
    unit: 'Seconds',
  },
  {
    name: 'input_characters',
    price: 'input_characters',
    per: 1_000_000,
    side: 'input',
    part: null,
    label: 'Characters of input',
    priceLabel: 'Million characters of input',
    pays: 'million_characters',
    unit: 'Characters',
  },
] as const satisfies readonly Unit[];

/**
 * Cache reads that providers bill at a price of their own. They are in `units`, and part of the
 * cache reads, which pay for those without such a price.
 */
export const cachedCounts = [
  {
    name: 'cache_read_audio_tokens',
    kind: 'cache_read_audio',
    otherwise: 'input_audio_tokens',
    label: 'Cache reads of audio',
  },
  {
    name: 'cache_read_image_tokens',
    kind: 'cache_read_image',
    otherwise: 'input_image_tokens',
    label: 'Cache reads of images',
  },
  {
    name: 'cache_read_explicit_tokens',
    kind: 'cache_read_explicit',
    otherwise: null,
    label: 'Cache reads of explicit caches',
  },
] as const satisfies readonly Readonly<{
  /** The member of `units` in a usage row. */
  name: string;
  /** The price of a price card. */
  kind: string;
  /** The part of the prompt that these tokens would be without the cache. */
  otherwise: PartName | null;
  /** The name in the UI. */
  label: string;
}>[];

export type CachedCount = (typeof cachedCounts)[number];

export type UnitCount = (typeof unitCounts)[number];
export type UnitName = UnitCount['name'] | CachedCount['name'];

export type TokenPart = (typeof tokenParts)[number];
export type PartKey = TokenPart['key'];
export type PartName = TokenPart['name'];

/** Null means that the provider did not report the count. It is never stored as 0. */
export type UsageCounts = Readonly<{ promptTokens: number; completionTokens: number }> &
  Readonly<Record<PartKey, number | null>> &
  Readonly<{
    /** The number of calls of each tool that the provider ran. Null if it reported none. */
    serverToolCalls: Readonly<Record<string, number>> | null;
    /** By the names of `unitCounts` and `cachedCounts`. Null if none is known. */
    units: Readonly<Record<string, number>> | null;
    /** The service tier as reported, such as `flex`. Null if the provider did not report it. */
    serviceTier: string | null;
  }>;

/** The counts of an answer, and its cost if the provider reported one (Gateway rule 16). */
export type UsageReport = UsageCounts &
  Readonly<{
    costMicros: number | null;
    /** True if parts exceeded their total and were limited to it. */
    isClamped: boolean;
  }>;

/** Bounds of what an answer can report besides tokens. */
export const toolsMax = 32;
export const reportedNameMax = 64;

/** The counts of an answer without any part. */
export const totalsOnly = (
  totals: Pick<UsageCounts, 'promptTokens' | 'completionTokens'>,
): UsageCounts => ({
  promptTokens: totals.promptTokens,
  completionTokens: totals.completionTokens,
  ...noParts,
});

const noParts: Omit<UsageCounts, 'promptTokens' | 'completionTokens'> = {
  ...membersOf(
    tokenParts.map(({ key }) => key),
    null,
  ),
  serverToolCalls: null,
  units: null,
  serviceTier: null,
};

/** The counts as a usage row has them. */
export type CountedRow = Readonly<{ prompt_tokens: number; completion_tokens: number }> &
  Readonly<Record<PartName, number | null>> &
  Readonly<{
    server_tool_calls: Readonly<Record<string, number>> | null;
    units: Readonly<Record<string, number>> | null;
    service_tier: string | null;
  }>;

/** Reads the counts of a usage row. */
export function rowCounts(row: CountedRow): UsageCounts {
  const counts = { ...noParts, promptTokens: row.prompt_tokens };
  for (const { name, key } of tokenParts) counts[key] = row[name];
  return {
    ...counts,
    completionTokens: row.completion_tokens,
    serverToolCalls: row.server_tool_calls,
    units: row.units,
    serviceTier: row.service_tier,
  };
}

/** An object with these members, all of one value. */
export function membersOf<Name extends string, Value>(
  names: readonly Name[],
  value: Value,
): Record<Name, Value>;
export function membersOf(names: readonly string[], value: unknown): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, value]));
}
