// What is known of a change request: how it stands, who proposes and approved it and when, and why it cannot be made.

import { html, nothing } from 'lit';

import type { WholeRequest } from '../../api/change-requests.ts';
import '../../elements/badge.ts';
import '../../elements/time.ts';
import { kindsText, stateWords, toneOfState } from '../../lib/changes/change-request.ts';

type Person = WholeRequest['author'];

export const nameOf = (person: Person): string =>
  person === null ? 'the command line' : (person.name ?? `principal ${person.id}, gone`);

export function factsOf(request: WholeRequest) {
  const { state, title, author, kinds, approvals, apply_at, expires_at, ended_at } = request;
  const facts: readonly (readonly [string, unknown])[] = [
    ['State', html`<gw-badge tone=${toneOfState(state)}>${stateWords(state)}</gw-badge>`],
    [state === 'review_due' || state === 'reviewed' ? 'Why at once' : 'Change', title ?? 'erased'],
    ['By', nameOf(author)],
    ['Why', request.history[0]?.reason ?? html`<span class="quiet">not said</span>`],
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
      : [['Applied at', html`<gw-time absolute at=${apply_at}></gw-time>`] as const]),
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

/** Why it cannot be made, was not made when it was due, or is not approved any more. */
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
          As the configuration stands it cannot be made: ${refusal.message}
        </div>`
  }
  ${
    failure === null
      ? nothing
      : html`<div class="notice warn" role="alert">
          It was not applied when it was due, <gw-time at=${failure.at}></gw-time>:
          ${failure.message ?? failure.cause.replaceAll('_', ' ')}
        </div>`
  }
  ${
    isLost
      ? html`<div class="notice warn">
          It comes to something else now than what was approved, and needs a new approval.
        </div>`
      : nothing
  }`;
}
