// Defines the fields of a dry run.

import type { UsageEvent } from '../../api/records.ts';
import type { SnapshotVersion } from '../../api/snapshots.ts';
import { choicesOf, orNone } from '../../lib/page/choices.ts';
import type { QuestionDraft } from '../../lib/routing/dry-run.ts';
import { formatCount, formatTime } from '../../lib/text/format.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import type { Named } from './rule-rows.ts';

/** The caller by name, and the recorded request that is replayed. */
export type Shown = QuestionDraft & Readonly<{ replay: string }>;

type Rows = readonly FormRow<Shown>[];
type Asked = Readonly<{ principals: readonly Named[]; classes: readonly string[] }>;

export const questionRows = ({ principals, classes }: Asked): Rows => [
  {
    name: 'principal_id',
    label: 'Caller',
    unmarked: true,
    placeholder: 'Anyone with full model access',
    choices: choicesOf(principals.map(({ name }) => name)),
  },
  {
    pair: [
      { name: 'prompt_tokens', label: 'Prompt tokens', unmarked: true, placeholder: '0' },
      { name: 'max_tokens', label: 'max_tokens', unmarked: true, placeholder: 'Not set' },
    ],
  },
  {
    pair: [
      {
        name: 'class',
        label: 'Prompt class',
        type: 'select',
        unmarked: true,
        choices: orNone('None', choicesOf(classes)),
      },
      { name: 'streaming', label: 'Streamed', type: 'checkbox', unmarked: true },
    ],
  },
];

/** `versions` are suggestions; `standing` is the version that is used by default. */
type Past = Readonly<{
  versions: readonly Pick<SnapshotVersion, 'version' | 'created_at'>[];
  standing: string | null;
}>;

export const moreRows = ({ versions, standing }: Past): Rows => [
  {
    name: 'headers',
    label: 'Headers',
    type: 'textarea',
    unmarked: true,
    placeholder: 'x-tier: gold',
    mono: true,
  },
  {
    name: 'prompt',
    label: 'Prompt',
    type: 'textarea',
    unmarked: true,
    hint: 'Classified like a real request',
  },
  {
    pair: [
      {
        name: 'at',
        label: 'Time',
        unmarked: true,
        placeholder: 'now',
        hint: 'UTC, for example 2026-11-21 14:05',
      },
      {
        name: 'version',
        label: 'Version',
        unmarked: true,
        placeholder: standing ?? 'published',
        hint: 'A version or a time',
        choices: versions.map(({ version, created_at }) => ({
          value: String(version),
          label: formatTime(new Date(created_at), 'utc'),
        })),
      },
    ],
  },
];

type Recorded = Pick<UsageEvent, 'id' | 'at' | 'route' | 'refusal' | 'model' | 'prompt_tokens'>;

/** Requests of the same second differ by their tokens and the end of their id. */
function recordedLabel({ id, at, route, refusal, model, prompt_tokens }: Recorded): string {
  const time = formatTime(new Date(at), 'utc').slice(5, 19);
  const tokens = prompt_tokens === null ? 'no tokens' : formatCount(prompt_tokens, 'prompt token');
  return [time, route ?? refusal, model, tokens, `…${id.slice(-6)}`]
    .filter((part) => part !== null && part !== '')
    .join(' · ');
}

export const replayRow = (recorded: readonly Recorded[]): FormRow<Shown> => ({
  name: 'replay',
  label: 'Replay a recorded request',
  type: 'select',
  unmarked: true,
  choices: orNone(
    'Choose a recent request',
    recorded.map((one) => ({ value: one.id, label: recordedLabel(one) })),
  ),
});
