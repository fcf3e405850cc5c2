// The forms of a backend: what a model is attached to, and how many requests it is sent at once. A field that was emptied is sent as
// null, which is its default.

import { readCount } from '../access/budget.ts';
import { blankHeader, credentialBody, headerBody } from './credential-draft.ts';
import type { CredentialDraft } from './credential-draft.ts';
import { textOrNull, wrong, written } from '../saves/draft.ts';
import type { Read } from '../saves/draft.ts';

export type AttachDraft = Omit<CredentialDraft, 'credential'> &
  Readonly<{
    /** The id; empty is an endpoint of its own. */
    provider_id: string;
    upstream_model: string;
    api_base: string;
    protocol: string;
  }>;

export const blankAttach: AttachDraft = {
  ...blankHeader,
  upstream_api_key: '',
  provider_id: '',
  upstream_model: '',
  api_base: '',
  protocol: 'openai',
};

/** Either a provider or an endpoint: what describes an endpoint is not sent beside a provider. */
export function attachBody(draft: AttachDraft) {
  const upstream = textOrNull(draft.upstream_model);
  const named = upstream === null ? {} : { upstream_model: upstream };
  if (draft.provider_id !== '') return { provider_id: Number(draft.provider_id), ...named };
  return {
    ...named,
    api_base: draft.api_base.trim(),
    protocol: draft.protocol,
    ...headerBody(draft),
    ...credentialBody(draft),
  };
}

export const flowFields = [
  'admission_max_concurrent',
  'admission_high_water',
  'admission_max_queued',
  'admission_max_wait_seconds',
  'upstream_timeout_seconds',
  'default_max_tokens',
] as const;

type FlowField = (typeof flowFields)[number];
export type Flow = Readonly<Record<FlowField, number | null>>;
export type FlowDraft = Readonly<Record<FlowField, string>>;

const mayBeZero: ReadonlySet<FlowField> = new Set([
  'admission_max_queued',
  'admission_max_wait_seconds',
]);

export const fromFlow = (flow: Flow): FlowDraft => ({
  admission_max_concurrent: written(flow.admission_max_concurrent),
  admission_high_water: written(flow.admission_high_water),
  admission_max_queued: written(flow.admission_max_queued),
  admission_max_wait_seconds: written(flow.admission_max_wait_seconds),
  upstream_timeout_seconds: written(flow.upstream_timeout_seconds),
  default_max_tokens: written(flow.default_max_tokens),
});

/** What differs from the record. */
export function flowChange(draft: FlowDraft, flow: Flow): Read<Partial<Flow>> {
  const body: Partial<Record<FlowField, number | null>> = {};
  for (const field of flowFields) {
    const canBeZero = mayBeZero.has(field);
    const count = canBeZero && draft[field].trim() === '0' ? 0 : readCount(draft[field]);
    if (count === undefined) {
      const least = canBeZero ? 'zero or more' : 'above zero';
      return wrong(field, `must be a whole number ${least}, or empty for the default`);
    }
    if (count !== flow[field]) body[field] = count;
  }
  return { body };
}

/** In one phrase; without a most of concurrent requests the gate is off. */
export function flowText(
  flow: Pick<Flow, 'admission_max_concurrent' | 'admission_max_queued'>,
): string {
  const { admission_max_concurrent: concurrent, admission_max_queued: queued } = flow;
  return concurrent === null ? 'off' : `${concurrent} at once, ${queued ?? queuedDefault} queued`;
}

/** Specification, "Defaults": what a field that is not set comes to. */
export const queuedDefault = 64;
