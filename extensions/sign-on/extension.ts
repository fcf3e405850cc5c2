// Defines the single sign-on extension: people sign in to the control plane through an OpenID
// provider (docs/adr/0039-single-sign-on.md).

import type { Core, Extension, ExtensionNeeds } from '../../src/admin/extension.ts';
import { signOnRoutes } from './routes.ts';
import { signOnOptions } from './settings.ts';
import { createSignOn } from './sign-on.ts';
import type { SignOn } from './sign-on.ts';

export const signOn = ((core: Core) => {
  const opened: { signOn?: SignOn | null } = {};
  /** Null without an issuer. Created once, because it caches the issuer's metadata. */
  const open = (): SignOn | null => (opened.signOn ??= openSignOn(core()));
  return { routes: () => signOnRoutes(open), singleSignOn: open };
}) satisfies Extension;

function openSignOn({ plane, settings, access, dispatcher }: ExtensionNeeds): SignOn | null {
  const options = signOnOptions(settings);
  if (options === null) return null;
  const { db, vault, store, refresh, execute } = plane;
  const { log, newId, clock } = access;
  return createSignOn(options, {
    db,
    vault,
    state: store.state,
    refresh,
    execute,
    newId,
    dispatcher,
    clock,
    monotonic: () => performance.now(),
    onUnknownRole: (role, requestId) =>
      log.warn({ request_id: requestId, role }, 'a group is mapped to a role that does not exist'),
    onNoGroups: (claim, requestId) =>
      log.warn({ request_id: requestId, claim }, 'the ID token has no groups claim'),
  });
}
