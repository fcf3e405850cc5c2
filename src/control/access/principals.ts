// Prepares principals for a mutation: moves personal data to the vault and puts the refs into the
// command.

import type { StoredName } from '../../../events/principal.ts';
import { absent } from '../../../projections/config/find.ts';
import type { Secret } from '../../db/vault.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { PrincipalKind } from '../../lib/vocabulary.ts';
import type { Configuration } from '../commands/configuration.ts';
import type { Mutation } from '../commands/execute.ts';
import type { Vaulting } from '../providers/credential.ts';
import type { Passwords } from './passwords.ts';

type Present = Pick<Configuration, 'state' | 'refresh'>;

type NewPrincipal = Readonly<{
  name: string;
  kind: PrincipalKind;
  email?: string | null | undefined;
}>;

export function newPrincipal(tools: Vaulting, { name: text, kind, email }: NewPrincipal): Mutation {
  const { hide, secrets } = hider(tools);
  const name = storedName(tools, { text, kind, hide });
  const emailRef = typeof email === 'string' ? hide(email) : null;
  return { command: { type: 'CreatePrincipal', name, kind, emailRef }, secrets };
}

type Change = Readonly<{ name?: string | undefined; email?: string | null | undefined }>;

export async function changedPrincipal(
  tools: Vaulting,
  { state, refresh }: Present,
  { id, given }: Readonly<{ id: PrincipalId; given: Change }>,
): Promise<Mutation> {
  await refresh();
  const kind = state().principal.byId.get(id)?.kind ?? 'user';
  const { hide, secrets } = hider(tools);
  const { name: text, email } = given;
  const name = text === undefined ? undefined : storedName(tools, { text, kind, hide });
  const emailRef = typeof email === 'string' ? hide(email) : email;
  return { command: { type: 'UpdatePrincipal', id, name, emailRef }, secrets };
}

export async function newPassword(
  { newId, passwords }: Pick<Vaulting, 'newId'> & Readonly<{ passwords: Passwords }>,
  { state, refresh }: Present,
  { id, password }: Readonly<{ id: PrincipalId; password: string }>,
): Promise<Mutation | Refusal> {
  // Before hashing, which is more expensive.
  await refresh();
  if (!state().principal.byId.has(id)) return absent('principal', id);
  const plaintext = await passwords.hash(password);
  if (isRefusal(plaintext)) return plaintext;
  const ref = newId();
  const command = { type: 'SetPassword', id, passwordRef: ref } as const;
  return { command, secrets: [{ ref, class: 'password', plaintext }] };
}

function hider({ newId }: Vaulting) {
  const secrets: Secret[] = [];
  const hide = (plaintext: string): string => {
    const ref = newId();
    secrets.push({ ref, class: 'personal', plaintext });
    return ref;
  };
  return { hide, secrets };
}

type Naming = Readonly<{ text: string; kind: PrincipalKind; hide: (text: string) => string }>;

/** A user's name is personal data. That of a service account is not. */
function storedName({ vault }: Vaulting, { text, kind, hide }: Naming): StoredName {
  const isPersonal = kind === 'user';
  return {
    text: isPersonal ? null : text,
    ref: isPersonal ? hide(text) : null,
    fingerprint: vault.fingerprint(text),
  };
}
