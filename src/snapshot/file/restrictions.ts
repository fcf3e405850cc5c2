// Settings of the common format by which a file restricts its callers, and which gw cannot do. Such a file must not be served to
// everyone without a word.

import { blockAt, isAsked } from './blocks.ts';
import type { Issue, Source } from './source.ts';

/** How callers prove who they are. None of it is done by gw, which asks for a key. */
const authentication = [
  'custom_auth',
  'enable_jwt_auth',
  'litellm_jwtauth',
  'enable_oauth2_auth',
  'allow_user_auth',
  'custom_sso',
];

/** With keys the file is served to their holders. Addresses are a restriction of their own, which keys do not replace. */
export function unmetRestrictions(
  { tree, issue, lost }: Source,
  { hasKeys }: Readonly<{ hasKeys: boolean }>,
): readonly Issue[] {
  const general = blockAt(tree, ['general_settings']);
  const addresses = isAsked(general['allowed_ips'])
    ? [
        issue(
          ['general_settings', 'allowed_ips'],
          'gw does not restrict the addresses of callers: remove it and restrict them in front ' +
            'of gw, or start with --open',
        ),
      ]
    : [];
  if (hasKeys) return addresses;
  const asked = authentication.filter((name) => isAsked(general[name]));
  const authentications = asked.map((name) =>
    issue(
      ['general_settings', name],
      'gw does not do this authentication, and the file has no key: add auth.keys or ' +
        'general_settings.master_key, or start with --open to serve everyone',
    ),
  );
  const lostKeys = lost.filter(({ path }) => path === 'general_settings.master_key');
  return [...addresses, ...authentications, ...lostKeys];
}
