// Writes a usage event as JSON. Every request writes one, and this code takes half the time of JSON.stringify.

import type { PartName } from './counts.ts';
import type { UsageEvent } from './usage-event.ts';

/**
 * ASCII only, so that one byte is one character: other characters are escaped (RFC 8259, section 7). Parses back to the
 * event. `more` are further members, each after a comma.
 */
export const usageRow = (event: UsageEvent, more = '', steady = steadyMembers(event)): string =>
  `{"id":"${event.id}","at":"${event.at}"${steady}` +
  `,"rule_inputs":${inputs(event.rule_inputs)}` +
  `,"prompt_tokens":${event.prompt_tokens},"completion_tokens":${event.completion_tokens}` +
  details(event) +
  `,"reported_cost_micros":${event.reported_cost_micros}` +
  `,"duration_ms":${event.duration_ms},"ttft_ms":${event.ttft_ms}` +
  `,"prompt_estimate":${event.prompt_estimate},"max_tokens":${event.max_tokens}${more}}`;

/** The members that are often equal in the rows of a key and a model. */
const steadyMembers = (event: UsageEvent): string =>
  `,"principal_id":${event.principal_id}` +
  `,"key_id":${event.key_id},"model_id":${event.model_id},"model":${quoted(event.model)}` +
  `,"provider_id":${event.provider_id},"virtual_model":${quoted(event.virtual_model)}` +
  `,"path":${quoted(event.path)},"snapshot_version":${event.snapshot_version}` +
  `,"route":${quoted(event.route)},"tag":${quoted(event.tag)}` +
  `,"frontend_model_id":${event.frontend_model_id},"rule_id":${event.rule_id}` +
  `,"prompt_class_id":${event.prompt_class_id},"budget_percent":${event.budget_percent}` +
  `,"matched_headers":${list(event.matched_headers)},"stream":${event.stream}` +
  `,"status":${event.status},"refusal":${refusal(event.refusal)}` +
  `,"usage_reported":${event.usage_reported},"usage_estimated":${event.usage_estimated}` +
  `,"cached":${event.cached},"attempts":${event.attempts}`;

const isSteady = (one: UsageEvent, other: UsageEvent): boolean =>
  one.principal_id === other.principal_id &&
  one.key_id === other.key_id &&
  one.model_id === other.model_id &&
  one.model === other.model &&
  one.provider_id === other.provider_id &&
  one.virtual_model === other.virtual_model &&
  one.path === other.path &&
  one.snapshot_version === other.snapshot_version &&
  one.route === other.route &&
  one.tag === other.tag &&
  one.frontend_model_id === other.frontend_model_id &&
  one.rule_id === other.rule_id &&
  one.prompt_class_id === other.prompt_class_id &&
  one.budget_percent === other.budget_percent &&
  one.matched_headers === other.matched_headers &&
  one.stream === other.stream &&
  one.status === other.status &&
  one.refusal === other.refusal &&
  one.usage_reported === other.usage_reported &&
  one.usage_estimated === other.usage_estimated &&
  one.cached === other.cached &&
  one.attempts === other.attempts;

/** A power of two. Keys and models that share a place replace each other's text. */
const placesMax = 256;

/** Writes rows, and keeps the text of their steady members for the next rows of the same key and model. */
export class UsageRowWriter {
  readonly #kept: (Readonly<{ event: UsageEvent; text: string }> | undefined)[] = [];

  row(event: UsageEvent, more: string): string {
    const place = ((event.key_id ?? 0) * 31 + (event.model_id ?? 0)) & (placesMax - 1);
    let kept = this.#kept[place];
    if (kept === undefined || !isSteady(kept.event, event)) {
      kept = { event, text: steadyMembers(event) };
      this.#kept[place] = kept;
    }
    return usageRow(event, more, kept.text);
  }
}

/**
 * Counts that were not reported are omitted, because most rows have few of them. They are listed
 * one by one: a loop over the table takes a fifth of the time of the whole row.
 */
function details(event: UsageEvent): string {
  const { server_tool_calls: calls, units, service_tier: tier } = event;
  return (
    part('cache_read_tokens', event.cache_read_tokens) +
    part('cache_write_5m_tokens', event.cache_write_5m_tokens) +
    part('cache_write_1h_tokens', event.cache_write_1h_tokens) +
    part('input_audio_tokens', event.input_audio_tokens) +
    part('input_image_tokens', event.input_image_tokens) +
    part('reasoning_tokens', event.reasoning_tokens) +
    part('output_audio_tokens', event.output_audio_tokens) +
    part('output_image_tokens', event.output_image_tokens) +
    (calls === null ? '' : `,"server_tool_calls":${ascii(calls)}`) +
    (units === null ? '' : `,"units":${ascii(units)}`) +
    (tier === null ? '' : `,"service_tier":${asciiJson(tier)}`)
  );
}

const part = (name: PartName, count: number | null): string =>
  count === null ? '' : `,"${name}":${count}`;

const idStart = '{"id":"'.length;
const idEnd = idStart + 26;

/** The id of a row that `usageRow` wrote. */
export const rowIdOf = (row: Buffer | string): string =>
  typeof row === 'string' ? row.slice(idStart, idEnd) : row.toString('latin1', idStart, idEnd);

/** An older control plane drops a row with an unknown refusal, so it gets `no_backend` for an overloaded backend. */
const refusal = (reason: UsageEvent['refusal']): string =>
  reason === 'backend_overloaded' ? `"no_backend","refused_as":"${reason}"` : quoted(reason);

const quoted = (text: string | null): string => (text === null ? 'null' : asciiJson(text));

/** Printable ASCII that JSON does not escape. */
const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** Returns the text as a JSON string in ASCII. */
export const asciiJson = (text: string): string =>
  plain.test(text) ? `"${text}"` : JSON.stringify(text).replace(beyondAscii, escaped);

const beyondAscii = /[\x7f-\uffff]/g;
const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

const list = (texts: readonly string[]): string =>
  texts.length === 0 ? '[]' : `[${texts.map(asciiJson).join(',')}]`;

function inputs(held: UsageEvent['rule_inputs']): string {
  if (held === null) return 'null';
  const { at_ms, headers, crowded_rules: rules, cost_micros } = held;
  const crowded = rules.length === 0 ? '[]' : `[${rules.join(',')}]`;
  return `{"at_ms":${at_ms},"headers":${members(headers)},"crowded_rules":${crowded},"cost_micros":${cost_micros}}`;
}

function members(headers: Readonly<Record<string, string>>): string {
  for (const _name in headers) return ascii(headers);
  return '{}';
}

/** Only strings can contain other characters. */
const ascii = (value: object): string => JSON.stringify(value).replace(beyondAscii, escaped);
