// The fields that say how something upstream is spoken to, which providers, models and remote servers share.

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
    { name: 'auth_header', label: 'Header of the credential', mono: true, required: true },
    { name: 'auth_scheme', label: 'Scheme', hint: 'Empty sends it raw', mono: true },
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
  hint: 'Stored encrypted, and never shown again',
  mono: true,
});

/** `isSet`: there is one to keep. */
export const credentialChoice = (
  isSet: boolean,
): FormField<Pick<CredentialDraft, 'credential'>> => ({
  name: 'credential',
  label: 'What becomes of the credential',
  type: 'select',
  required: true,
  choices: [
    { value: 'keep', label: isSet ? 'Keep the one that is set' : 'Leave it unset' },
    { value: 'set', label: isSet ? 'Replace it' : 'Set one' },
    ...(isSet ? [{ value: 'clear', label: 'Clear it' }] : []),
  ],
});
