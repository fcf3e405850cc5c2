// Draws the facts of a change request: its state, author, approvals and times, and why it cannot be applied.

import { html, nothing } from 'lit';

import type { WholeRequest } from './api.ts';
import '../../../ui/elements/badge.ts';
import '../../../ui/elements/time.ts';
import { kindsText, stateWords, toneOfState } from './steps.ts';

type Person = WholeRequest['author'];

export const nameOf = (person: Person): string =>
  person === null ? 'the command line' : (person.name ?? `principal ${person.id} (deleted)`);

export function factsOf(request: WholeRequest) {
  const { state, title, author, kinds, approvals, apply_at, expires_at, ended_at } = request;
  const facts: readonly (readonly [string, unknown])[] = [
    ['State', html`<gw-badge tone=${toneOfState(state)}>${stateWords(state)}</gw-badge>`],
    [
      state === 'review_due' || state === 'reviewed' ? 'Urgent change' : 'Change',
      title ?? 'erased',
    ],
    ['Author', nameOf(author)],
    ['Reason', request.history[0]?.reason ?? html`<span class="quiet">None</span>`],
    ['Scope', kindsText(kinds)],
    [
      'Approved',
      approvals.length === 0
        ? html`<span class="quiet">Not approved yet</span>`
        : approvals.map(
            ({ by, at }) => html`<div>by ${nameOf(by)}, <gw-time at=${at}></gw-time></div>`,
          ),
    ],
    ...(apply_at === null
      ? []
      : [['Scheduled for', html`<gw-time absolute at=${apply_at}></gw-time>`] as const]),
    ...(expires_at === null || ended_at !== null
      ? []
      : [['Expires', html`<gw-time at=${expires_at}></gw-time>`] as const]),
    ...(ended_at === null
      ? []
      : [
          [
            'Ended',
            html`<gw-time at=${ended_at}></gw-time>${
                request.ended_by === null ? '' : `, by ${nameOf(request.ended_by)}`
              }`,
          ] as const,
        ]),
  ];
  return html`<dl>
    ${facts.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** Explains why the change request cannot be applied, was not applied on schedule, or lost its approval. */
export function problemOf({
  refusal,
  failure,
  approvals,
  covered_by: covering,
  change,
}: WholeRequest) {
  const isLost = change !== null && approvals.length > 0 && covering.length === 0;
  return html`${
    refusal === null
      ? nothing
      : html`<div class="notice bad" role="alert">
          This change cannot be applied to the current configuration: ${refusal.message}
        </div>`
  }
  ${
    failure === null
      ? nothing
      : html`<div class="notice warn" role="alert">
          This change was not applied on schedule, <gw-time at=${failure.at}></gw-time>:
          ${failure.message ?? failure.cause.replaceAll('_', ' ')}
        </div>`
  }
  ${
    isLost
      ? html`<div class="notice warn">
          The effect of this change differs from what was approved. It needs a new approval.
        </div>`
      : nothing
  }`;
}
