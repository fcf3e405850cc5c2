// What can be done to an MCP server or an agent, each as a save.

import { shownCredential } from '../../lib/providers/credential-draft.ts';
import { remoteBody, remoteChange } from '../../lib/providers/remote-draft.ts';
import type { Remote, RemoteDraft } from '../../lib/providers/remote-draft.ts';
import { theList, theMade } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';
import type { RemoteKind } from './kind.ts';

export function creationOf({ noun, dialect, create }: RemoteKind, draft: RemoteDraft): Save {
  const body = remoteBody(draft);
  return {
    heading: `Add ${noun} ${body.name}`,
    verb: `Add ${noun}`,
    done: `${body.name} added`,
    before: {},
    after: { ...shownCredential(body), [dialect.field]: draft.dialect },
    opens: theMade,
    run: (change) => create(body, draft.dialect, change),
  };
}

export function changeOf(
  { dialect, dialectOf, update }: RemoteKind,
  { remote, draft }: Readonly<{ remote: Remote; draft: RemoteDraft }>,
): Save {
  const body = remoteChange(draft, remote);
  const before = dialectOf(remote);
  const given = { body, dialect: draft.dialect === before ? undefined : draft.dialect };
  return {
    heading: `Change ${remote.name}`,
    verb: 'Publish change',
    done: `${remote.name} changed`,
    before: {
      ...remote,
      [dialect.field]: before,
      credential: remote.has_upstream_api_key ? 'set' : 'none',
    },
    after: { ...shownCredential(body), [dialect.field]: given.dialect },
    run: (change) => update(remote.id, given, { version: remote.version, ...change }),
  };
}

export const deletionOf = ({ noun, remove }: RemoteKind, remote: Remote): Save => ({
  heading: `Delete ${remote.name}`,
  verb: `Delete ${noun}`,
  done: `${remote.name} deleted`,
  before: null,
  after: null,
  danger: true,
  name: remote.name,
  opens: theList,
  run: (change) => remove(remote.id, { version: remote.version, ...change }),
});
