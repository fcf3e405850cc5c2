// Defines the screen of principals: users and service accounts.

import { css, html } from 'lit';

import '../elements/time.ts';
import { nearerCap } from '../lib/access/budget.ts';
import { formatNumber } from '../lib/text/format.ts';
import { narrowed } from '../lib/text/narrow.ts';
import { nearerBar } from '../parts/budget.ts';
import { none } from '../parts/facts.ts';
import { narrowedBy } from '../parts/narrowed.ts';
import { resourceScreen } from '../parts/resource-screen.ts';
import { passwordForm, principalForm } from './principals/forms.ts';
import { loadPeople } from './principals/load.ts';
import type { Known, People } from './principals/load.ts';
import { principalActions, principalRecord, principalWords } from './principals/record.ts';

const unlimited = html`<span class="quiet">unlimited</span>`;

resourceScreen<Known, People>({
  screen: 'principals',
  about: 'Users and service accounts',
  noun: 'principal',
  add: 'Create principal',
  adding: 'Create principal',
  empty: {
    heading: 'No principals in this version',
    about:
      'A principal is a service account or a user. Keys, roles, limits and budgets belong to principals.',
    command: 'gw set-password --name NAME',
  },
  load: loadPeople,
  pollMs: 60_000,
  columns: [
    { id: 'name', label: 'Name', value: ({ name }) => name },
    { id: 'kind', label: 'Kind', value: ({ kind }) => kind.replace('_', ' ') },
    {
      id: 'roles',
      label: 'Roles',
      value: ({ roles }) => roles.join(', '),
      cell: ({ roles }) => (roles.length === 0 ? none : roles.join(', ')),
    },
    { id: 'may_invoke', label: 'Can invoke', value: ({ mayInvoke }) => mayInvoke },
    { id: 'keys', label: 'Keys', end: true, value: ({ keys }) => keys },
    {
      id: 'budget',
      label: 'Budget used',
      value: ({ budget }) => (budget === null ? null : (nearerCap(budget)?.share ?? null)),
      cell: ({ budget }) => (budget === null ? unlimited : nearerBar(budget)),
    },
    {
      id: 'requests_per_min',
      label: 'Requests/min',
      end: true,
      value: ({ limits }) => limits?.requests_per_min ?? null,
      cell: ({ limits }) =>
        typeof limits?.requests_per_min === 'number'
          ? formatNumber(limits.requests_per_min)
          : unlimited,
    },
    { id: 'email', label: 'Email', spare: true, value: ({ email }) => email },
    {
      id: 'created_at',
      label: 'Created',
      spare: true,
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => html`<gw-time at=${created_at}></gw-time>`,
    },
    { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
  ],
  /** All principals, or those that hold one role. */
  list: (all, at) => {
    const { role = '' } = at.query;
    const href = at.viewLink({ role: '' });
    return {
      rows: narrowed(all, role, ({ roles }) => roles),
      bar: narrowedBy({ asked: role, words: `With role ${role}`, href }),
    };
  },
  form: principalForm,
  aspects: { password: { prefix: '', form: passwordForm } },
  record: principalRecord,
  actions: principalActions,
  words: principalWords,
  styles: css`
    .via {
      color: var(--text-2);
      font-size: var(--text-s);
    }

    .bars {
      display: grid;
      gap: var(--space-3);
    }
  `,
});
