// How something upstream is spoken to with a credential, as it stands in a form: which header, and whether the credential is kept, set
// or cleared, each by its own choice.

import { textOrNull } from '../saves/draft.ts';

type Header = Readonly<{
  auth_header: string;
  /** Empty sends the credential raw. */
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

/** Of something new; an empty key is none. */
export const credentialBody = ({
  upstream_api_key: key,
}: Pick<CredentialDraft, 'upstream_api_key'>) => (key === '' ? {} : { upstream_api_key: key });

/** Of something that is changed. `isMoved`: to an address to which a credential that is kept is not sent unless it is said. */
export function credentialChange(
  { credential, upstream_api_key: key }: CredentialDraft,
  isMoved: boolean,
): Readonly<{ upstream_api_key?: string | null; keep_credential?: boolean }> {
  switch (credential) {
    case 'keep':
      // Chosen in the form in so many words.
      return isMoved ? { keep_credential: true } : {};
    case 'set':
      return { upstream_api_key: key };
    case 'clear':
      return { upstream_api_key: null };
  }
}

/** For the table of what changes: a credential is said to be there, and never shown. */
export function shownCredential<Body extends ReturnType<typeof credentialChange>>({
  upstream_api_key: key,
  keep_credential: isKept,
  ...rest
}: Body) {
  if (key === null || key === '') return { ...rest, credential: 'none' };
  if (key !== undefined) return { ...rest, credential: 'a new one' };
  return isKept === true ? { ...rest, credential: 'kept, sent to the new address' } : rest;
}
