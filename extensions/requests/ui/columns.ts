// Defines the columns of the list of requests.

import { html } from 'lit';

import type { UsageEvent } from '../../../ui/api/records.ts';
import '../../../ui/elements/badge.ts';
import '../../../ui/elements/money.ts';
import type { Column } from '../../../ui/elements/table/table.ts';
import '../../../ui/elements/time.ts';
import { outcomeOf } from '../../../ui/lib/observe/usage-outcome.ts';
import {
  formatDurationOfColumn,
  formatMoneyOf,
  formatNumber,
} from '../../../ui/lib/text/format.ts';

type Requested = Column<UsageEvent>;

const textOf = (
  id:
    | 'principal'
    | 'provider'
    | 'tag'
    | 'route'
    | 'prompt_class'
    | 'service_tier'
    | 'replica'
    | 'path',
  label: string,
  spare = true,
): Requested => ({ id, label, spare, value: (row) => row[id] });

const countOf = (
  id: 'prompt_tokens' | 'completion_tokens' | 'attempts' | 'key_id' | 'snapshot_version',
  label: string,
): Requested => ({ id, label, end: true, spare: true, value: (row) => row[id] });

const flagOf = (id: 'stream' | 'cached', label: string): Requested => ({
  id,
  label,
  spare: true,
  value: (row) => row[id],
  cell: (row) => (row[id] ? 'yes' : 'no'),
});

export const columns: readonly Requested[] = [
  {
    id: 'at',
    label: 'When',
    value: ({ at }) => at,
    cell: ({ at }) => html`<gw-time absolute bare at=${at}></gw-time>`,
  },
  {
    id: 'outcome',
    label: 'Outcome',
    value: (one) => outcomeOf(one).word,
    cell: (one) => {
      const { tone, word } = outcomeOf(one);
      return html`<gw-badge tone=${tone}>${word}</gw-badge>`;
    },
  },
  { id: 'virtual_model', label: 'Requested model', value: ({ virtual_model }) => virtual_model },
  {
    id: 'model',
    label: 'Served by',
    value: ({ model }) => model,
    cell: ({ model }) => model ?? html`<span class="quiet">none</span>`,
  },
  textOf('provider', 'Provider'),
  textOf('principal', 'Principal', false),
  countOf('key_id', 'API key'),
  {
    id: 'tokens',
    label: 'Tokens',
    end: true,
    value: (one) => one.prompt_tokens + one.completion_tokens,
    cell: (one) => formatNumber(one.prompt_tokens + one.completion_tokens),
  },
  countOf('prompt_tokens', 'Prompt tokens'),
  countOf('completion_tokens', 'Completion tokens'),
  {
    id: 'cost_micros',
    label: 'Cost',
    end: true,
    value: ({ cost_micros }) => cost_micros,
    cell: ({ cost_micros, currency, refusal }) => {
      if (cost_micros !== null) return formatMoneyOf(cost_micros, currency);
      return refusal === null ? html`<gw-money .micros=${null}></gw-money>` : '';
    },
  },
  {
    id: 'duration_ms',
    label: 'Latency',
    end: true,
    value: ({ duration_ms }) => duration_ms,
    cell: ({ duration_ms }) => formatDurationOfColumn(duration_ms),
  },
  {
    id: 'ttft_ms',
    label: 'First token',
    end: true,
    value: ({ ttft_ms }) => ttft_ms,
    cell: ({ ttft_ms }) => (ttft_ms === null ? '' : formatDurationOfColumn(ttft_ms)),
  },
  textOf('route', 'Route'),
  textOf('tag', 'Tag'),
  textOf('prompt_class', 'Prompt class'),
  textOf('path', 'API path'),
  textOf('service_tier', 'Service tier'),
  flagOf('stream', 'Streamed'),
  flagOf('cached', 'Cached'),
  countOf('attempts', 'Attempts'),
  textOf('replica', 'Replica'),
  countOf('snapshot_version', 'Version'),
  { id: 'id', label: 'ID', spare: true, value: ({ id }) => id },
];
