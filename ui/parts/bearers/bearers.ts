// Defines the screens of API keys and admin tokens. Both are secrets of a principal that gw shows once and that can be revoked.

import { html, nothing } from 'lit';

import { applyCalls } from '../../api/change-sets.ts';
import type { Answered, Change } from '../../api/http/call.ts';
import '../../elements/badge.ts';
import type { Column } from '../../elements/table/table.ts';
import '../../elements/time.ts';
import { screenNamed } from '../../screens.ts';
import { bearerStates, isRevoked, shownState } from '../../lib/access/bearer.ts';
import type { Bearer } from '../../lib/access/bearer.ts';
import { deletionOf } from '../../lib/saves/save.ts';
import type { DraftCall } from '../../lib/changes/draft-calls.ts';
import { capital, formatCount } from '../../lib/text/format.ts';
import { narrowed } from '../../lib/text/narrow.ts';
import { isReadOnly } from '../../state/as-of.ts';
import { linkTo } from '../../state/location.ts';
import { may } from '../../state/session.ts';
import { copyRecord } from '../copy-record.ts';
import { copied, facts, idFact, moment } from '../facts.ts';
import { narrowedBy } from '../narrowed.ts';
import type { RecordScreen } from '../record-screen.ts';
import { resourceScreen } from '../resource-screen.ts';
import type { Bulk } from '../resource-screen.ts';
import { byState } from '../state-segments.ts';
import './form.ts';
import type { BearerFormKind } from './form.ts';

/** An API key has no permissions of its own. */
type Shown = Bearer & Readonly<{ permissions?: readonly string[] }>;

export type BearerKind<Row extends Shown, Made> = BearerFormKind<Made> &
  Readonly<{
    screen: string;
    about: string;
    empty: Readonly<{ about: string; body: Readonly<Record<string, unknown>> }>;
    list: (signal: AbortSignal) => Promise<readonly Row[]>;
    mayWrite: () => boolean;
    mayRevoke: () => boolean;
    revoke: (one: Row) => (change: Change) => Promise<Answered<unknown>>;
    revoked: string;
    /** The call that revokes one of several in a change set; they cannot be revoked together when absent. */
    revokeCall?: (one: Row) => DraftCall;
    /** Columns after the principal. */
    columns?: readonly Column<Row>[];
  }>;

export function bearerScreen<Row extends Shown, Made>(kind: BearerKind<Row, Made>): void {
  const { screen, about, noun, empty, list, mayWrite } = kind;
  resourceScreen<Row, Readonly<{ rows: readonly Row[] }>>({
    screen,
    about,
    noun,
    add: `Create ${noun}`,
    adding: `Create ${noun}`,
    empty: { heading: `No ${noun}s yet`, ...empty },
    load: async (signal) => ({ rows: await list(signal) }),
    pollMs: 30_000,
    columns: [...before, ...(kind.columns ?? []), ...after],
    list: (all, at) => listOf(all, at, screenNamed(screen)?.title ?? ''),
    mayWrite,
    form: (row, at) =>
      row === null
        ? (failure) =>
            html`<gw-bearer-form
              .kind=${kind}
              first=${at.rest[1] ?? ''}
              .failure=${failure}
            ></gw-bearer-form>`
        : null,
    record: factsOf,
    actions: (row, at) => actionsOf(kind, row, at),
    bulk: () => bulkOf(kind),
    words: ({ danger, breaks }) =>
      danger === true
        ? html`<p>${kind.revoked}</p>
            ${breaks ?? nothing}`
        : nothing,
  });
}

const timeOr = (at: string | null, none: string) =>
  at === null ? html`<span class="quiet">${none}</span>` : html`<gw-time at=${at}></gw-time>`;

const before: readonly Column<Bearer>[] = [
  { id: 'name', label: 'Name', value: ({ name }) => name },
  {
    id: 'prefix',
    label: 'Prefix',
    value: ({ prefix }) => prefix,
    cell: ({ prefix }) => html`<code>${prefix}…</code>`,
  },
  { id: 'principal', label: 'Principal', value: ({ principal }) => principal },
];

const stateBadge = (one: Bearer) =>
  html`<gw-badge tone=${shownState(one)?.tone ?? 'plain'}>${shownState(one)?.label}</gw-badge>`;

const after: readonly Column<Bearer>[] = [
  { id: 'state', label: 'State', value: (one) => shownState(one)?.label ?? '', cell: stateBadge },
  {
    id: 'expires_at',
    label: 'Expires',
    value: ({ expires_at }) => expires_at,
    cell: ({ expires_at }) => timeOr(expires_at, 'never'),
  },
  {
    id: 'last_used_at',
    label: 'Last used',
    value: ({ last_used_at }) => last_used_at,
    cell: ({ last_used_at }) => timeOr(last_used_at, isReadOnly() ? 'unknown' : 'never'),
  },
  {
    id: 'created_at',
    label: 'Created',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => timeOr(created_at, ''),
  },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];

/** Those of one principal or all, by state. */
function listOf<Row extends Bearer>(all: readonly Row[], at: RecordScreen, heading: string) {
  const { principal = '' } = at.query;
  const own = narrowed(all, principal, ({ principal_id }) => [principal_id]);
  const { rows, bar } = byState(
    {
      label: `${heading} by state`,
      states: bearerStates,
      rows: own,
      statesOf: (one) => [shownState(one)?.value],
    },
    at,
  );
  const words = `Principal: ${own[0]?.principal ?? principal}`;
  const href = at.viewLink({ principal: '' });
  return { rows, bar: html`${narrowedBy({ asked: principal, words, href })}${bar}` };
}

function factsOf(one: Shown) {
  const { id, prefix, principal_id, principal, permissions, last_used_at } = one;
  const unused = isReadOnly() ? 'unknown for past versions' : 'never';
  return facts([
    ['State', stateBadge(one)],
    ['Prefix', copied(prefix, 'prefix', html`<code>${prefix}…</code>`)],
    idFact(id),
    [
      'Principal',
      html`<a href=${linkTo({ screen: 'principals', rest: [principal_id] })}>${principal}</a>`,
    ],
    permissions === undefined
      ? null
      : ['Permissions', html`<code>${permissions.join(', ')}</code>`],
    ['Expires', one.expires_at === null ? 'never' : moment(one.expires_at)],
    ['Created', moment(one.created_at)],
    ['Last used', last_used_at === null ? unused : moment(last_used_at)],
  ]);
}

function actionsOf<Row extends Shown, Made>(
  { screen, noun, mayRevoke, revoke }: BearerKind<Row, Made>,
  row: Row,
  at: RecordScreen,
) {
  const copy = copyRecord(screen, row);
  if (isRevoked(row) || !mayRevoke() || isReadOnly()) return copy;
  const { opens: _, ...deletion } = deletionOf({ noun, name: row.name }, { run: revoke(row) });
  const save = {
    ...deletion,
    heading: `Revoke ${row.name}`,
    verb: `Revoke ${noun}`,
    done: `${capital(noun)} ${row.name} revoked`,
  };
  return html`${copy}<button slot="actions" type="button" @click=${() => at.ask(save)}>
      <gw-icon name="trash-2"></gw-icon>Revoke
    </button>`;
}

/** One change with one reason. */
function bulkOf<Row extends Shown, Made>({
  noun,
  mayRevoke,
  revokeCall,
}: BearerKind<Row, Made>): Bulk<Row> | null {
  if (revokeCall === undefined || !mayRevoke() || !may('config:write')) return null;
  return {
    verb: 'Revoke',
    applies: (row) => !isRevoked(row),
    save: (rows) => {
      const several = formatCount(rows.length, noun);
      const calls = rows.map(revokeCall);
      return {
        heading: `Revoke ${several}`,
        verb: `Revoke ${several}`,
        done: `${several} revoked`,
        before: null,
        after: null,
        danger: true,
        name: String(rows.length),
        breaks: html`<ul>
          ${rows.map(({ name, principal }) => html`<li>${name}, ${principal}</li>`)}
        </ul>`,
        run: (change) =>
          applyCalls(calls, { ...change, defaultReason: `Revoked ${several} together` }),
      };
    },
  };
}
