// Lists settings of the common format that restrict callers in ways gw does not support. A file
// with them must not silently be served to everyone.

import { blockAt, isAsked } from './blocks.ts';
import type { Issue, Source } from './source.ts';

/** Ways of authentication that gw does not support. */
const authentication = [
  'custom_auth',
  'enable_jwt_auth',
  'litellm_jwtauth',
  'enable_oauth2_auth',
  'allow_user_auth',
  'custom_sso',
];

/**
 * With keys configured, only their holders are served. Keys do not replace address restrictions.
 */
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
