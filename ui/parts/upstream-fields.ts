// Defines the fields for upstream protocols and credentials.

import { protocolNames } from '../../src/protocols/facts.ts';
import type { CredentialDraft } from '../lib/providers/credential-draft.ts';
import { choicesOf } from '../lib/page/choices.ts';
import type { FormField } from './form-rows.ts';

type Endpoint = Readonly<{ protocol: string }>;

export const protocolField: FormField<Endpoint> = {
  name: 'protocol',
  label: 'Protocol',
  type: 'select',
  required: true,
  choices: choicesOf(protocolNames),
};

type Header = Pick<CredentialDraft, 'auth_header' | 'auth_scheme'>;

export const headerFields: Readonly<{ pair: readonly FormField<Header>[] }> = {
  pair: [
    { name: 'auth_header', label: 'Auth header', mono: true, required: true },
    { name: 'auth_scheme', label: 'Scheme', hint: 'Leave empty for no scheme', mono: true },
  ],
};

type Key = Pick<CredentialDraft, 'upstream_api_key'>;

export const keyField = (
  label: string,
  type: 'password' | 'textarea' = 'password',
): FormField<Key> => ({
  name: 'upstream_api_key',
  label,
  type,
  hint: 'Stored encrypted and never shown again',
  mono: true,
});

/** `isSet`: a credential is stored. */
export const credentialChoice = (
  isSet: boolean,
): FormField<Pick<CredentialDraft, 'credential'>> => ({
  name: 'credential',
  label: 'Credential',
  type: 'select',
  required: true,
  choices: [
    { value: 'keep', label: isSet ? 'Keep current credential' : 'No credential' },
    { value: 'set', label: isSet ? 'Replace credential' : 'Set credential' },
    ...(isSet ? [{ value: 'clear', label: 'Delete credential' }] : []),
  ],
});
