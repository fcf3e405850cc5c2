// What is said of a frontend model above its rules, and what breaks when one is deleted, or a pool.

import { html, nothing } from 'lit';

import type { FrontendModel } from '../../api/frontend-models.ts';
import '../../elements/copy.ts';
import { formatCount, formatNumber } from '../../lib/format.ts';
import { jumpsTo } from '../../lib/frontend-model-draft.ts';
import { linkTo } from '../../state/location.ts';
import type { PoolRow } from './columns.ts';
import type { Routing } from './load.ts';

export function factsOf(one: FrontendModel, { frontendModels }: Routing) {
  const { id, name, max_model_len: tokens } = one;
  const jumps = jumpsTo(id, frontendModels);
  return html`<div class="facts">
    <span>Id ${id}<gw-copy text=${String(id)} label="id"></gw-copy></span>
    <span>Asked for as <code>${name}</code><gw-copy text=${name} label="name"></gw-copy></span>
    <span
      >Window
      ${tokens === null ? 'derived from its models' : `${formatNumber(tokens)} tokens`}</span
    >
    <span><a href=${linkTo({ screen: 'usage', rest: ['virtual_model', name] })}>Its usage</a></span>
    ${
      jumps.length === 0
        ? nothing
        : html`<span
            >Jumped to by
            ${jumps.map(
              (jump) =>
                html`<a href=${linkTo({ screen: 'frontend-models', rest: [jump.id] })}
                  >${jump.name} ${jump.rule}</a
                >`,
            )}</span
          >`
    }
  </div>`;
}

export function poolBreakage({ users }: PoolRow) {
  if (users.length === 0) return html`<p>No rule and no default leads to it.</p>`;
  const count = formatCount(users.length, 'frontend model leads', 'frontend models lead');
  const text = users.map(({ name, where }) => `${name} (${where.join(', ')})`).join(', ');
  return html`<p>The deletion is refused as long as ${count} to it:</p>
    <p><code>${text}</code></p>`;
}

export function modelBreakage(one: FrontendModel, { frontendModels }: Routing) {
  const jumps = jumpsTo(one.id, frontendModels);
  return html`<p>
      Clients that ask for <code>${one.name}</code> are refused from then on. With it
      ${one.rules.length === 1 ? 'goes' : 'go'} ${formatCount(one.rules.length, 'rule')}.
    </p>
    ${
      jumps.length === 0
        ? nothing
        : html`<p>Rules that jump to it match no more:</p>
            <p><code>${jumps.map(({ name, rule }) => `${name} ${rule}`).join(', ')}</code></p>`
    }`;
}

export const ruleBreakage = ({ name }: FrontendModel) =>
  html`<p>
    Requests to <code>${name}</code> that it decided go on to the rules behind it, which move up.
  </p>`;
