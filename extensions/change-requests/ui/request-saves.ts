// Builds the save of each step of a change request.

import {
  applyChangeRequest,
  approveChangeRequest,
  editChangeRequest,
  refuseChangeRequest,
  reviewChange,
  scheduleChangeRequest,
  withdrawChangeRequest,
} from './api.ts';
import type { WholeRequest } from './api.ts';
import type { Step } from './steps.ts';
import { formatTime } from '../../../ui/lib/text/format.ts';
import { editedFields } from './draft.ts';
import type { Save } from '../../../ui/lib/saves/save.ts';
import { zone } from '../../../ui/state/preferences.ts';
import type { CallsEdit } from './calls-form.ts';

export const stepLabels: Readonly<Record<Step, string>> = {
  approve: 'Approve…',
  refuse: 'Refuse…',
  withdraw: 'Withdraw…',
  schedule: 'Schedule…',
  apply: 'Apply now…',
  review: 'Mark as reviewed…',
};

/** `at` is RFC 3339; only `schedule` uses it. */
type SaveAt = (at: string) => Save;

/** An approval covers what the reviewer saw: the version and the digests refuse it if the change request was edited since. */
export function savesOf(
  { id, digest, outcome }: WholeRequest,
  version: number | undefined,
): Readonly<Record<Step, SaveAt>> {
  const named = `change request ${id}`;
  const of = (verb: string, done: string, run: Save['run'], given: Partial<Save> = {}): Save => ({
    heading: `${verb} ${named}`,
    verb,
    done: `Change request ${id} ${done}`,
    before: null,
    after: null,
    run: (change) => run({ version, ...change }),
    ...given,
  });
  const step = (...[verb, done, run, given]: Parameters<typeof of>): Save =>
    of(verb, done, run, { notPublished: 'The configuration is unchanged.', ...given });
  return {
    approve: () =>
      step(
        'Approve',
        'approved',
        (change) =>
          approveChangeRequest(id, { digest: digest ?? '', outcome: outcome ?? '' }, change),
        { notPublished: 'It is not applied yet.' },
      ),
    refuse: () =>
      step('Refuse', 'refused', (change) => refuseChangeRequest(id, change), {
        reasonNeeded: true,
      }),
    withdraw: () => step('Withdraw', 'withdrawn', (change) => withdrawChangeRequest(id, change)),
    schedule: (at) =>
      step('Schedule', 'scheduled', (change) => scheduleChangeRequest(id, at, change), {
        before: {},
        after: { apply_at: formatTime(new Date(at), zone.get()) },
      }),
    apply: () => of('Apply', 'applied', (change) => applyChangeRequest(id, change)),
    review: () => step('Review', 'reviewed', (change) => reviewChange(id, change)),
  };
}

/** An unchanged title is omitted. Calls are always sent, because their secrets have to be entered again. */
export function editSave(
  { id, title, bodies }: WholeRequest,
  version: number | undefined,
  edit: CallsEdit,
): Save {
  const isRetitled = edit.title !== (title ?? '');
  const shown = editedFields({ title, calls: bodies ?? [] }, edit);
  return {
    heading: `Edit change request ${id}`,
    verb: 'Save draft',
    done: `Change request ${id} updated`,
    ...shown,
    notPublished: 'The configuration is unchanged.',
    run: (change) =>
      editChangeRequest(
        id,
        {
          ...(isRetitled ? { title: edit.title } : {}),
          calls: edit.calls.map((call) => ({ ...call })),
        },
        { version, ...change },
      ),
  };
}
