// Reads and writes the question of a dry run in the form, the address and the API, and describes its answer for each rule.

import type { DryRun, UsageEvent } from '../../api/records.ts';
import { formatTime } from '../text/format.ts';
import { readCount } from '../access/budget.ts';
import { wrong, written } from '../saves/draft.ts';
import type { Read } from '../saves/draft.ts';
import { readHeaders } from './condition-fields.ts';

/** All values as typed. */
export type QuestionDraft = Readonly<{
  /** Empty for a caller with full model access. */
  principal_id: string;
  streaming: boolean;
  class: string;
  /** Replaces the class. */
  prompt: string;
  prompt_tokens: string;
  max_tokens: string;
  /** One header per line. */
  headers: string;
  /** Empty for the current time. */
  at: string;
  /** A version or a time; empty for the published configuration with proposed changes. */
  version: string;
}>;

export const blankQuestion: QuestionDraft = {
  principal_id: '',
  streaming: false,
  class: '',
  prompt: '',
  prompt_tokens: '',
  max_tokens: '',
  headers: '',
  at: '',
  version: '',
};

/** Names in the address. */
const inAddress = {
  principal_id: 'from',
  class: 'class',
  prompt: 'prompt',
  prompt_tokens: 'tokens',
  max_tokens: 'max',
  headers: 'headers',
  at: 'at',
  version: 'on',
} as const;
const streamName = 'stream';

type Query = Readonly<Record<string, string>>;

export const readQuestion = (query: Query): QuestionDraft => ({
  ...blankQuestion,
  ...Object.fromEntries(
    Object.entries(inAddress).map(([field, name]) => [field, query[name] ?? '']),
  ),
  streaming: query[streamName] === 'true',
});

/** Null removes a name from the address. */
export const writeQuestion = (draft: QuestionDraft): Readonly<Record<string, string | null>> => ({
  ...Object.fromEntries(
    Object.entries(inAddress).map(([field, name]) => {
      const text = String(Reflect.get(draft, field));
      return [name, text === '' ? null : text];
    }),
  ),
  [streamName]: draft.streaming ? 'true' : null,
});

export type Question = Readonly<{
  model: string;
  streaming: boolean;
  principal_id: number | null;
  class: string | null;
  headers: Readonly<Record<string, string>>;
  prompt_tokens: number;
  max_tokens: number | null;
  at?: string;
}>;

/** Omits the prompt, which only the published configuration can classify. */
export function questionBody(draft: QuestionDraft, model: string): Read<Question> {
  const headers = readHeaders(draft.headers);
  if (headers === undefined) {
    return wrong('headers', 'must be one per line, for example x-tier: gold');
  }
  const promptTokens = readCount(draft.prompt_tokens);
  if (promptTokens === undefined) return wrong('prompt_tokens', 'must be a whole number');
  const maxTokens = readCount(draft.max_tokens);
  if (maxTokens === undefined) return wrong('max_tokens', 'must be a whole number');
  const at = readMoment(draft.at);
  if (at === undefined) return wrong('at', 'must be a time such as 2026-11-21 14:05');
  if (draft.prompt.trim() !== '' && draft.class !== '') {
    return wrong('prompt', 'enter a prompt or a class, not both');
  }
  return {
    body: {
      model,
      streaming: draft.streaming,
      principal_id: draft.principal_id === '' ? null : Number(draft.principal_id),
      class: draft.class === '' ? null : draft.class,
      headers,
      prompt_tokens: promptTokens ?? 0,
      max_tokens: maxTokens,
      ...(at === null ? {} : { at }),
    },
  };
}

/** A typed name can be unknown. */
export type Caller = Readonly<{ id: string }> | Readonly<{ unknownCaller: string }>;

export function callerOf(
  text: string,
  principals: readonly Readonly<{ id: number; name: string }>[],
): Caller {
  const typed = text.trim();
  const found = principals.find(({ id, name }) => name === typed || String(id) === typed);
  if (found !== undefined) return { id: String(found.id) };
  return typed === '' ? { id: '' } : { unknownCaller: typed };
}

type Typed = Readonly<{
  draft: QuestionDraft;
  /** Empty for none. */
  unknownCaller: string;
  model: string;
  /** The version that the page shows; null is the current one. */
  standing: string | null;
}>;

/** Uses the typed version, otherwise the shown one. */
export function askedOf({
  draft,
  unknownCaller,
  model,
  standing,
}: Typed): Read<Readonly<{ question: Question; prompt: string; version: string }>> {
  if (unknownCaller !== '')
    return wrong('principal_id', `no principal has the name ${unknownCaller}`);
  const read = questionBody(draft, model);
  if ('wrong' in read) return read;
  const version = draft.version.trim() === '' ? (standing ?? '') : draft.version.trim();
  return { body: { question: read.body, prompt: draft.prompt, version } };
}

type Call = Readonly<{ method: string; path: string; body?: unknown }>;

export const triedCalls = (proposal: readonly Call[]) =>
  proposal.flatMap(({ method, path, body }) =>
    isMutation(method) ? [{ method, path, body }] : [],
  );

type Mutation = 'POST' | 'PUT' | 'PATCH' | 'DELETE';
const isMutation = (method: string): method is Mutation =>
  ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method);

/** RFC 3339, in UTC by default; null if empty, undefined if invalid. */
function readMoment(text: string): string | null | undefined {
  const plain = text
    .trim()
    .replace(/ ?UTC$/, 'Z')
    .replace(' ', 'T');
  if (plain === '') return null;
  const zoned = /(?:Z|[+-]\d\d:\d\d)$/.test(plain) ? plain : `${plain}Z`;
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(zoned) ? Date.parse(zoned) : NaN;
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** Headers that no rule used are not recorded. */
export const replayOf = (row: UsageEvent): QuestionDraft => ({
  ...blankQuestion,
  principal_id: String(row.principal_id),
  streaming: row.stream,
  class: row.prompt_class ?? '',
  prompt_tokens: row.prompt_estimate === 0 ? '' : String(row.prompt_estimate),
  max_tokens: written(row.max_tokens),
  headers: Object.entries(row.rule_inputs?.headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
  at: formatTime(new Date(row.rule_inputs?.at_ms ?? row.at), 'utc'),
});

export type Verdict = Readonly<{
  tone: 'good' | 'warn' | 'plain';
  word: string;
  /** Names of conditions that the request does not meet. */
  failed: readonly string[];
}>;

/** Null if the request does not reach the rule's frontend model. */
export function verdictOn(ruleId: number, { rules }: Pick<DryRun, 'rules'>): Verdict | null {
  const found = rules.find((one) => one.rule_id === ruleId);
  if (found === undefined) return null;
  const { decides, jump_lost, matches, failed } = found;
  if (decides) return { tone: 'good', word: 'decides', failed };
  if (jump_lost) return { tone: 'warn', word: 'jump target deleted', failed };
  if (matches) return { tone: 'plain', word: 'matches, but a rule above decides', failed };
  return { tone: 'plain', word: 'does not match', failed };
}

export function outcomeOf({ reason, chain, denied }: DryRun): string {
  if (denied !== null) return `${reason ?? 'nothing'}: ${denied.status}`;
  const [first] = chain;
  return `${first?.reason ?? reason ?? 'nothing'}: ${first?.model ?? 'no model'}`;
}

/** A dry run cannot know these (specification, "Dry-run limits"). */
export function caveatsOf({ prompt }: Pick<QuestionDraft, 'prompt'>): readonly string[] {
  return [
    'Assumes all backends are healthy.',
    'Assumes no load; load conditions always match.',
    prompt.trim() === ''
      ? 'Uses the prompt class given here; the gateway classifies the prompt itself.'
      : 'Classifies the prompt with the published classifier.',
    'The pool member that serves a request depends on the conversation and on load.',
  ];
}
