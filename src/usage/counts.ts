// Defines the token counts of a request in one form for all providers. The two totals have parts,
// which the table lists. Rows, metrics, price cards and forms follow from it. The UI reads it too.

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
 * known time to live counts as `cache_write_5m_tokens`.
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

export type TokenPart = (typeof tokenParts)[number];
export type PartKey = TokenPart['key'];
export type PartName = TokenPart['name'];

/** Null means that the provider did not report the count. It is never stored as 0. */
export type UsageCounts = Readonly<{ promptTokens: number; completionTokens: number }> &
  Readonly<Record<PartKey, number | null>> &
  Readonly<{
    /** The number of calls of each tool that the provider ran. Null if it reported none. */
    serverToolCalls: Readonly<Record<string, number>> | null;
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
  serviceTier: null,
};

/** The counts as a usage row has them. */
export type CountedRow = Readonly<{ prompt_tokens: number; completion_tokens: number }> &
  Readonly<Record<PartName, number | null>> &
  Readonly<{
    server_tool_calls: Readonly<Record<string, number>> | null;
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
