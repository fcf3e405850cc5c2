// Reads the forms that attach a model and set its flow control. An empty field is sent as null, which resets it to the default.

import { backendFields } from '../../../src/fields/model.ts';
import { blankHeader, credentialBody, headerBody } from './credential-draft.ts';
import type { CredentialDraft } from './credential-draft.ts';
import { textOrNull } from '../saves/draft.ts';
import { entityTypes } from '../saves/entity-fields.ts';
import { formOf, typedBy } from '../saves/typed.ts';

export type AttachDraft = Omit<CredentialDraft, 'credential'> &
  Readonly<{
    /** Empty for a new endpoint. */
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

/** Sends either a provider or the fields of an endpoint. */
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

/** Sends only changed fields. */
export const flowForm = formOf(typedBy(backendFields, entityTypes));
export type FlowDraft = typeof flowForm.blank;

/** Without a limit of concurrent requests, flow control is off. */
export const flowText = ({
  admission_max_concurrent: concurrent,
  admission_max_queued: queued,
}: Readonly<Record<'admission_max_concurrent' | 'admission_max_queued', number | null>>): string =>
  concurrent === null
    ? 'off'
    : `${concurrent} concurrent, ${queued ?? backendFields.admission_max_queued.default} queued`;
