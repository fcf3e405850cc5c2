// Reads the fields of an upstream credential: its header, and whether it is kept, set or cleared.

import { textOrNull } from '../saves/draft.ts';

type Header = Readonly<{
  auth_header: string;
  /** Empty sends the credential without a scheme. */
  auth_scheme: string;
}>;

export type CredentialDraft = Header &
  Readonly<{ credential: 'keep' | 'set' | 'clear'; upstream_api_key: string }>;

export const blankHeader = { auth_header: 'authorization', auth_scheme: 'Bearer' } as const;

export const blankCredential: CredentialDraft = {
  ...blankHeader,
  credential: 'set',
  upstream_api_key: '',
};

type Kept = Readonly<{ auth_header: string; auth_scheme: string | null }>;

export const fromCredential = ({ auth_header, auth_scheme }: Kept): CredentialDraft => ({
  auth_header,
  auth_scheme: auth_scheme ?? '',
  credential: 'keep',
  upstream_api_key: '',
});

export const headerBody = ({ auth_header, auth_scheme }: Header): Kept => ({
  auth_header: auth_header.trim(),
  auth_scheme: textOrNull(auth_scheme),
});

/** For a new record; an empty key means none. */
export const credentialBody = ({
  upstream_api_key: key,
}: Pick<CredentialDraft, 'upstream_api_key'>) => (key === '' ? {} : { upstream_api_key: key });

/** For an edit. `isMoved`: the address changed, so a kept credential is sent there only if confirmed. */
export function credentialChange(
  { credential, upstream_api_key: key }: CredentialDraft,
  isMoved: boolean,
): Readonly<{ upstream_api_key?: string | null; keep_credential?: boolean }> {
  switch (credential) {
    case 'keep':
      // Explicitly chosen in the form.
      return isMoved ? { keep_credential: true } : {};
    case 'set':
      return { upstream_api_key: key };
    case 'clear':
      return { upstream_api_key: null };
  }
}

/** The diff shows only whether a credential is set. */
export function shownCredential<Body extends ReturnType<typeof credentialChange>>({
  upstream_api_key: key,
  keep_credential: isKept,
  ...rest
}: Body) {
  if (key === null || key === '') return { ...rest, credential: 'none' };
  if (key !== undefined) return { ...rest, credential: 'new' };
  return isKept === true ? { ...rest, credential: 'kept and sent to the new address' } : rest;
}
