// Lists the change requests that wait for a person: to approve, to review, or to apply.

import type { Waiting } from '../../../ui/extension.ts';
import { listChangeRequests } from './api.ts';
import { awaitedStep } from './steps.ts';
import type { Step } from './steps.ts';

/** Each state has its own page. */
const listedMax = 100;

const states = ['open', 'approved', 'review_due'] as const;

const words: Readonly<Record<Step, string>> = {
  approve: 'Waiting for your approval',
  review: 'Waiting for your review',
  apply: 'Approved, ready to apply',
  refuse: '',
  withdraw: '',
  schedule: '',
};

export async function load(person: number, signal: AbortSignal): Promise<readonly Waiting[]> {
  const pages = await Promise.all(
    states.map((state) => listChangeRequests({ state, limit: listedMax, order: 'asc' }, signal)),
  );
  return pages.flatMap(({ body }) =>
    body.flatMap((request) => {
      const step = awaitedStep(request, person);
      if (step === null) return [];
      const { id, title, author } = request;
      const from = author?.name ?? 'the command line';
      return {
        key: `change-request-${id}-${step}`,
        text: title ?? `Change request ${id}`,
        about: step === 'apply' ? words[step] : `${words[step]}, from ${from}`,
        place: { screen: 'history', rest: ['requests', id] },
      };
    }),
  );
}
