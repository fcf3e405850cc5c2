// The steps of a change request, as saves.

import {
  applyChangeRequest,
  approveChangeRequest,
  editChangeRequest,
  refuseChangeRequest,
  reviewChange,
  scheduleChangeRequest,
  withdrawChangeRequest,
} from '../../api/change-requests.ts';
import type { WholeRequest } from '../../api/change-requests.ts';
import type { Step } from '../../lib/changes/change-request.ts';
import { formatTime } from '../../lib/text/format.ts';
import { editedFields } from '../../lib/changes/request-calls.ts';
import type { Save } from '../../lib/saves/save.ts';
import { zone } from '../../state/preferences.ts';
import type { CallsEdit } from './calls-form.ts';

export const stepLabels: Readonly<Record<Step, string>> = {
  approve: 'Approve…',
  refuse: 'Refuse…',
  withdraw: 'Withdraw…',
  schedule: 'Schedule…',
  apply: 'Apply now…',
  review: 'I have looked at it…',
};

/** `at` is RFC 3339, for the one that takes a time. */
type SaveAt = (at: string) => Save;

/** What was looked at is what is approved: a request that was changed since is refused by its version and its digests. */
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
  /** A step that leaves the configuration as it is. */
  const step = (...[verb, done, run, given]: Parameters<typeof of>): Save =>
    of(verb, done, run, { notPublished: 'Nothing is published.', ...given });
  return {
    approve: () =>
      step(
        'Approve',
        'approved',
        (change) =>
          approveChangeRequest(id, { digest: digest ?? '', outcome: outcome ?? '' }, change),
        { notPublished: 'Not applied yet.' },
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
    review: () => step('Confirm', 'reviewed', (change) => reviewChange(id, change)),
  };
}

/** A title that is as it was is not sent; calls are, because of their secrets. */
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
    done: `Change request ${id} edited`,
    ...shown,
    notPublished: 'Nothing is published.',
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
