// Defines the screens of MCP servers and agents. They differ in their texts, calls and the protocol field.

import { html, nothing } from 'lit';

import type { Answered, Change } from '../../api/http/call.ts';
import type { Noun } from '../../../events/nouns.ts';
import { choicesOf } from '../../lib/page/choices.ts';
import { shownCredential } from '../../lib/providers/credential-draft.ts';
import {
  blankRemote,
  fromRemote,
  remoteBody,
  remoteChange,
} from '../../lib/providers/remote-draft.ts';
import type { Remote, RemoteChange, RemoteDraft } from '../../lib/providers/remote-draft.ts';
import { additionOf, changeOf, deletionOf } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';
import { recordForm } from '../form-as-data.ts';
import { resourceScreen } from '../resource-screen.ts';
import { credentialChoice, headerFields, keyField } from '../upstream-fields.ts';
import { dialectOf, stateBadge } from './record.ts';

type Run = (change: Change) => Promise<Answered<unknown>>;

type RemoteKind = Readonly<{
  screen: string;
  about: string;
  noun: string;
  logged: Noun;
  plural: string;
  teaches: string;
  dialect: Readonly<{ field: string; label: string; choices: readonly string[] }>;
  list: (signal: AbortSignal) => Promise<readonly Remote[]>;
  create: (body: ReturnType<typeof remoteBody>, dialect: string) => Run;
  /** An undefined dialect keeps the current one. */
  change: (one: Remote, body: RemoteChange, dialect: string | undefined) => Run;
  remove: (one: Remote) => Run;
}>;

export function remoteScreen(kind: RemoteKind): void {
  const { screen, about, noun, plural, teaches, dialect } = kind;
  resourceScreen<Remote, Readonly<{ rows: readonly Remote[] }>>({
    screen,
    about,
    noun,
    add: `Create ${noun}`,
    adding: `Create ${noun}`,
    empty: {
      heading: `No ${plural} yet`,
      about: teaches,
      body: { name: 'search', url: 'https://search.example/' },
    },
    load: async (signal) => ({ rows: await kind.list(signal) }),
    pollMs: 30_000,
    columns: [
      { id: 'name', label: 'Name', value: ({ name }) => name },
      {
        id: 'enabled',
        label: 'State',
        value: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
        cell: stateBadge,
      },
      {
        id: 'url',
        label: 'Address',
        value: ({ url }) => url,
        cell: ({ url }) => html`<code>${url}</code>`,
      },
      { id: dialect.field, label: dialect.label, value: (remote) => dialectOf(kind, remote) },
      {
        id: 'credential',
        label: 'Credential',
        value: ({ has_upstream_api_key }) => (has_upstream_api_key ? 'set' : 'none'),
      },
      { id: 'description', label: 'Description', value: ({ description }) => description },
      { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
    ],
    form: (remote) => formFor(kind, remote),
    record: (remote) => html`<gw-remote-record .kind=${kind} .remote=${remote}></gw-remote-record>`,
    deletion: (remote) => deletionOf({ noun, name: remote.name }, { run: kind.remove(remote) }),
    words: ({ danger }) =>
      danger === true
        ? html`<p>
            Permissions that name it are kept but have no effect. Its credential is erased and
            cannot be restored.
          </p>`
        : nothing,
  });
}

/** The address is not checked. */
const formFor = (kind: RemoteKind, remote: Remote | null) =>
  recordForm<RemoteDraft>({
    isNew: remote === null,
    draft:
      remote === null
        ? blankRemote(kind.dialect.choices[0] ?? '')
        : fromRemote(remote, dialectOf(kind, remote)),
    fields: ({ credential }) => [
      {
        name: 'name',
        label: 'Name',
        hint: 'Letters, digits, - and _. Used in paths and permissions',
        required: true,
      },
      { name: 'url', label: 'Address', mono: true, required: true },
      {
        name: kind.dialect.field,
        member: 'dialect',
        label: kind.dialect.label,
        type: 'select',
        required: true,
        choices: choicesOf(kind.dialect.choices),
      },
      { name: 'description', label: 'Description' },
      remote === null ? null : credentialChoice(remote.has_upstream_api_key),
      credential === 'set' ? keyField('Credential') : null,
      headerFields,
      { name: 'enabled', label: 'Enabled', type: 'checkbox' },
    ],
    save: (draft) => (remote === null ? creation(kind, draft) : change(kind, remote, draft)),
  });

function creation({ noun, dialect, create }: RemoteKind, draft: RemoteDraft): Save {
  const body = remoteBody(draft);
  const after = { ...shownCredential(body), [dialect.field]: draft.dialect };
  return additionOf({ noun, name: body.name }, { after, run: create(body, draft.dialect) });
}

function change(kind: RemoteKind, remote: Remote, draft: RemoteDraft): Save {
  const body = remoteChange(draft, remote);
  const before = dialectOf(kind, remote);
  const dialect = draft.dialect === before ? undefined : draft.dialect;
  return changeOf(
    { noun: kind.noun, name: remote.name },
    {
      before: { ...remote, credential: remote.has_upstream_api_key ? 'set' : 'none' },
      after: {
        ...shownCredential(body),
        ...(dialect === undefined ? {} : { [kind.dialect.field]: dialect }),
      },
      run: kind.change(remote, body, dialect),
    },
  );
}
