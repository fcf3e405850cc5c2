// Describes the filters of requests: names in the address and the API, labels, and the text of a chip.

import { formatDuration, formatMoney, formatNumber } from '../../../ui/lib/text/format.ts';

type Choice = Readonly<{ value: string; label: string }>;

/**
 * `named` has the names of records, `seen` free text with values of the shown requests, and a
 * `range` has two parameters with these ends.
 */
export type Filter = Readonly<{ name: string; label: string }> &
  (
    | Readonly<{ kind: 'named'; of: Source }>
    | Readonly<{ kind: 'seen'; example: string }>
    | Readonly<{ kind: 'choice'; choices: readonly Choice[] }>
    | Readonly<{ kind: 'range'; unit: string; scale: number; format: (value: number) => string }>
  );

/** The list of records that has the choices. */
export type Source = 'models' | 'frontend' | 'providers' | 'principals' | 'keys' | 'classes';

const yesNo = (yes: string, no: string): readonly Choice[] => [
  { value: 'true', label: yes },
  { value: 'false', label: no },
];

export const filters: readonly Filter[] = [
  { name: 'model', label: 'Model', kind: 'named', of: 'models' },
  { name: 'virtual_model', label: 'Requested model', kind: 'named', of: 'frontend' },
  { name: 'provider', label: 'Provider', kind: 'named', of: 'providers' },
  { name: 'principal_id', label: 'Principal', kind: 'named', of: 'principals' },
  { name: 'key_id', label: 'API key', kind: 'named', of: 'keys' },
  {
    name: 'outcome',
    label: 'Outcome',
    kind: 'choice',
    choices: [
      { value: 'failed', label: 'failed' },
      { value: 'succeeded', label: 'succeeded' },
    ],
  },
  {
    name: 'status',
    label: 'Status',
    kind: 'choice',
    choices: [
      '2xx',
      '4xx',
      '5xx',
      '400',
      '401',
      '403',
      '404',
      '408',
      '413',
      '429',
      '500',
      '502',
      '503',
      '504',
    ]
      .map((value) => ({ value, label: value }))
      .concat([{ value: 'none', label: 'no response' }]),
  },
  {
    name: 'refusal',
    label: 'Refused for',
    kind: 'choice',
    choices: [
      { value: 'authorisation', label: 'permission' },
      { value: 'rate_limit', label: 'rate limit' },
      { value: 'budget', label: 'budget' },
      { value: 'no_backend', label: 'no backend' },
      { value: 'backend_overloaded', label: 'overloaded backend' },
    ],
  },
  {
    name: 'duration_ms',
    label: 'Latency',
    kind: 'range',
    unit: 'ms',
    scale: 1,
    format: formatDuration,
  },
  {
    name: 'ttft_ms',
    label: 'First token',
    kind: 'range',
    unit: 'ms',
    scale: 1,
    format: formatDuration,
  },
  {
    name: 'cost_micros',
    label: 'Cost',
    kind: 'range',
    unit: '$',
    scale: 1_000_000,
    format: formatMoney,
  },
  {
    name: 'tokens',
    label: 'Tokens',
    kind: 'range',
    unit: 'tokens',
    scale: 1,
    format: formatNumber,
  },
  { name: 'tag', label: 'Tag', kind: 'seen', example: 'batch' },
  { name: 'prompt_class', label: 'Prompt class', kind: 'named', of: 'classes' },
  { name: 'path', label: 'API path', kind: 'seen', example: '/v1/messages' },
  { name: 'service_tier', label: 'Service tier', kind: 'seen', example: 'flex' },
  { name: 'replica', label: 'Replica', kind: 'seen', example: 'gateway-1' },
  {
    name: 'stream',
    label: 'Streamed',
    kind: 'choice',
    choices: yesNo('streamed', 'not streamed'),
  },
  {
    name: 'cached',
    label: 'Cached',
    kind: 'choice',
    choices: yesNo('from the cache', 'not from the cache'),
  },
  { name: 'priced', label: 'Priced', kind: 'choice', choices: yesNo('with a cost', 'unpriced') },
];

/** The parameters of a filter. */
export const parametersOf = ({ name, kind }: Filter): readonly string[] =>
  kind === 'range' ? [`${name}_from`, `${name}_below`] : [name];

export type Query = Readonly<Record<string, string>>;

const allParameters = filters.flatMap(parametersOf);

/** The filters of an address, without its range and the view of the table. */
export const filterQueryOf = (query: Query): Query =>
  Object.fromEntries(
    allParameters.flatMap((name) => {
      const value = query[name] ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );

/** Removes all filters from an address. */
export const noFilters: Readonly<Record<string, null>> = Object.fromEntries(
  allParameters.map((name) => [name, null]),
);

export const isSet = (filter: Filter, query: Query): boolean =>
  parametersOf(filter).some((name) => (query[name] ?? '') !== '');

type Named = (of: Source, value: string) => string;

/** `named` gives the name of a record. */
export function chipText(filter: Filter, query: Query, named: Named): string {
  if (filter.kind === 'range') {
    const [from, below] = parametersOf(filter).map((name) => query[name]);
    return rangeText(filter.format, { from, below });
  }
  const value = query[filter.name] ?? '';
  if (filter.kind === 'named') return named(filter.of, value);
  if (filter.kind === 'seen') return value;
  return filter.choices.find((one) => one.value === value)?.label ?? value;
}

type Ends = Readonly<{ from: string | undefined; below: string | undefined }>;

function rangeText(format: (value: number) => string, { from, below }: Ends): string {
  if (below === undefined) return `from ${format(Number(from))}`;
  if (from === undefined) return `below ${format(Number(below))}`;
  return `${format(Number(from))} to ${format(Number(below))}`;
}
