// Draws one prompt class: its settings, the rules that use it, and its examples by id and label. The texts of examples are never shown.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, flag, given } from '../../elements/element.ts';
import { call } from '../../api/http/call.ts';
import type { PromptExample } from '../../api/records.ts';
import '../../elements/badge.ts';
import '../../elements/error.ts';
import '../../elements/icon.ts';
import { Resource } from '../../elements/resource.ts';
import { marginText } from '../../lib/routing/evaluation.ts';
import { formatNumber } from '../../lib/text/format.ts';
import { linkTo } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import { copied, facts, idFact, remover, userRows } from '../../parts/facts.ts';
import type { RecordScreen } from '../../parts/record-screen.ts';
import { exampleRemoval } from './saves.ts';
import type { ClassRow } from './load.ts';

const shownMax = 200;

export function classRecord(row: ClassRow, at: RecordScreen) {
  const { id, name, description, tier, min_margin, refines, routable, examples, askers } = row;
  const why = examples === 0 ? 'it has no examples' : 'no encoder is configured for its tier';
  return html`${description === null ? nothing : html`<p class="notice">${description}</p>`}
    ${facts([
      idFact(id),
      ['Name', copied(name, 'name', html`<code>${name}</code>`)],
      [
        'State',
        routable
          ? html`<gw-badge tone="good">routable</gw-badge>`
          : html`<gw-badge tone="warn">not routable</gw-badge> <span class="quiet">${why}</span>`,
      ],
      ['Tier', tier],
      ['Minimum margin', marginText(min_margin)],
      tier === 'refined'
        ? [
            'Refines',
            refines.length === 0 ? 'no classes, so no prompt matches' : refines.join(', '),
          ]
        : null,
    ])}
    ${userRows(askers, (one) => one.rules, 'No rule uses this class.')}
    <gw-class-examples
      .row=${row}
      ?writable=${at.isWritable()}
      @gw-remove=${({ detail }: CustomEvent<number>) => at.ask(exampleRemoval(row, detail))}
    ></gw-class-examples>`;
}

/** Dispatches `gw-remove` with the id of an example. */
class GwClassExamples extends element({ row: given<ClassRow>(), writable: flag() }) {
  static override styles = [
    base,
    buttons,
    record,
    css`
      .examples {
        max-height: 22rem;
        overflow-y: auto;
      }
    `,
  ];
  readonly #examples = new Resource(this, async (signal) => {
    const { body, headers } = await call('GET', '/admin/prompt-classes/{id}/examples', {
      params: { id: this.row.id },
      query: { limit: shownMax },
      signal,
    });
    return { rows: body, total: Number(headers.get('x-total-count') ?? body.length) };
  });

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.get('row') !== undefined) void this.#examples.reload();
  }

  protected override render() {
    const { value: examples, failure } = this.#examples;
    return html`<div class="section">
        <h3>Examples <span class="quiet">${formatNumber(this.row.examples)}</span></h3>
        ${
          this.writable
            ? html`<a
                class="button"
                href=${linkTo({ screen: 'prompt-classes', rest: [this.row.id, 'examples'] })}
                ><gw-icon name="plus"></gw-icon>Add examples</a
              >`
            : nothing
        }
      </div>
      <gw-error retriable .failure=${failure} @gw-retry=${() => this.#examples.reload()}></gw-error>
      ${
        this.row.examples === 0
          ? html`<p class="notice warn">No examples. No prompt can match this class.</p>`
          : html`<ul class="rows examples" aria-label="Examples" tabindex="0">
              ${(examples?.rows ?? []).map((example) => this.#example(example))}
            </ul>`
      }
      ${
        examples === undefined || examples.total <= examples.rows.length
          ? nothing
          : html`<p class="quiet">
              Showing the first ${examples.rows.length} of ${examples.total}.
            </p>`
      }`;
  }

  #example({ id, label, added_at }: PromptExample) {
    return html`<li>
      <code>#${id}</code> ${label === null ? nothing : html`<span>${label}</span>`}
      <span class="quiet">added <gw-time at=${added_at}></gw-time></span>
      ${
        this.writable
          ? remover(`Remove example ${id}`, 'Remove', () =>
              this.dispatchEvent(new CustomEvent('gw-remove', { detail: id })),
            )
          : nothing
      }
    </li>`;
  }
}

customElements.define('gw-class-examples', GwClassExamples);
