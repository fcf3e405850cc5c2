// How well prompt classes are told apart, by their own examples: figures of each beside those of the evaluation before, and which examples
// are taken for another class.

import { LitElement, css, html, nothing } from 'lit';

import type { Evaluation } from '../../api/prompt-classes.ts';
import '../../elements/badge.ts';
import '../../elements/icon.ts';
import '../../elements/table.ts';
import type { Column } from '../../elements/table.ts';
import '../../elements/time.ts';
import {
  adviceOf,
  confusionsOf,
  gainOf,
  gainText,
  marginText,
  shareText,
  toneOfVerdict,
} from '../../lib/evaluation.ts';
import type { Confused, Evaluations, Measure } from '../../lib/evaluation.ts';
import { formatCount } from '../../lib/format.ts';
import { linkTo } from '../../state/location.ts';
import { keepView, tableView } from '../../state/table-view.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

type Evaluated = Evaluation['classes'][number];
type Named = Readonly<{ id: number; name: string }>;

const gained = (one: Evaluated, before: Evaluation | null, measure: Measure) => {
  const gain = gainOf(one, before, measure);
  if (gain === null) return nothing;
  return html` <span class=${gain > 0 ? 'gain' : 'loss'}>${gainText(gain)}</span>`;
};

const nearestText = ({ nearest }: Evaluated): string =>
  nearest.map(([name, similarity]) => `${name} ${similarity.toFixed(2)}`).join(', ');

/** Compared with the evaluation before, where there was one. */
const columnsOf = (before: Evaluation | null): readonly Column<Evaluated>[] => [
  {
    id: 'class',
    label: 'Class',
    value: (one) => (one.refines === null ? one.class : `${one.class} of ${one.refines}`),
  },
  {
    id: 'verdict',
    label: 'Verdict',
    value: ({ verdict }) => verdict,
    cell: ({ verdict }) => html`<gw-badge tone=${toneOfVerdict(verdict)}>${verdict}</gw-badge>`,
  },
  ...(['precision', 'recall'] as const).map((id) => ({
    id,
    label: id === 'precision' ? 'Precision' : 'Recall',
    end: true,
    value: (one: Evaluated) => one[id],
    cell: (one: Evaluated) => html`${shareText(one[id])}${gained(one, before, id)}`,
  })),
  ...(['mean_margin', 'worst_margin'] as const).map((id) => ({
    id,
    label: id === 'mean_margin' ? 'Mean margin' : 'Worst margin',
    end: true,
    value: (one: Evaluated) => one[id],
    cell: (one: Evaluated) => html`${marginText(one[id])}${gained(one, before, id)}`,
  })),
  {
    id: 'min_margin',
    label: 'Margin needed',
    end: true,
    value: ({ min_margin }) => min_margin,
    cell: ({ min_margin }) => marginText(min_margin),
  },
  { id: 'nearest', label: 'Nearest classes', value: nearestText },
  { id: 'advice', label: 'What to do', spare: true, value: adviceOf },
  { id: 'examples', label: 'Examples', end: true, spare: true, value: ({ examples }) => examples },
];

export class GwEvaluation extends LitElement {
  static override properties = {
    evaluations: { attribute: false },
    classes: { attribute: false },
  };
  static override styles = [
    base,
    record,
    css`
      .when {
        margin-bottom: var(--space-3);
        color: var(--text-2);
      }

      .gain,
      .loss {
        font-size: var(--text-s);
      }

      h2 {
        margin: var(--space-6) 0 var(--space-2);
      }

      .confused {
        max-width: 52rem;
      }

      .ids {
        display: flex;
        flex-wrap: wrap;
        justify-content: end;
        gap: 0.25rem var(--space-3);
      }
    `,
  ];
  declare evaluations: Evaluations;
  declare classes: readonly Named[];
  #columns = columnsOf(null);
  #before: Evaluation | null = null;

  constructor() {
    super();
    this.classes = [];
  }

  /** Made anew only when they are compared with another one. */
  #columnsFor(before: Evaluation | null): readonly Column<Evaluated>[] {
    if (before !== this.#before) this.#columns = columnsOf(before);
    this.#before = before;
    return this.#columns;
  }

  protected override render() {
    const { newest, before } = this.evaluations;
    if (newest === null) return nothing;
    const { at, evaluation } = newest;
    const examples = evaluation.classes.reduce((sum, one) => sum + one.examples, 0);
    return html`<p class="when">
        Evaluated <gw-time at=${at}></gw-time>: ${formatCount(examples, 'example')}, each classified
        without its own help. Only this browser keeps the result.
        ${
          before === null
            ? 'The next evaluation shows what has changed since.'
            : html`What changed is since the evaluation of
                <gw-time absolute at=${before.at}></gw-time>.`
        }
      </p>
      ${evaluation.note === null ? nothing : html`<p class="notice warn">${evaluation.note}</p>`}
      <gw-table
        label="Evaluation"
        noun="class"
        .columns=${this.#columnsFor(before?.evaluation ?? null)}
        .rows=${evaluation.classes}
        .keyOf=${(one: Evaluated) => `${one.refines ?? ''}/${one.class}`}
        .hrefOf=${(one: Evaluated) => this.#linkOf(one.class)}
        .view=${tableView()}
        @gw-view=${keepView}
        ><slot slot="bar" name="bar"></slot
      ></gw-table>
      ${this.#advice(evaluation)} ${this.#confusions(evaluation)}`;
  }

  #linkOf(name: string): string | null {
    const id = this.classes.find((one) => one.name === name)?.id;
    return id === undefined ? null : linkTo({ screen: 'prompt-classes', rest: [id] });
  }

  #advice({ classes }: Evaluation) {
    const advised = classes.flatMap((one) => {
      const advice = adviceOf(one);
      return advice === null ? [] : [{ one, advice }];
    });
    if (advised.length === 0) return nothing;
    return html`<h2>What to do</h2>
      <ul class="rows confused" aria-label="What to do">
        ${advised.map(({ one, advice }) => html`<li><strong>${one.class}</strong> ${advice}</li>`)}
      </ul>`;
  }

  #confusions(evaluation: Evaluation) {
    const confused = confusionsOf(evaluation);
    return html`<h2>Taken for another class</h2>
      ${
        confused.length === 0
          ? html`<p class="quiet">No example was taken for another class.</p>`
          : html`<ul class="rows confused" aria-label="Taken for another class">
              ${confused.map((one) => this.#confused(one))}
            </ul>`
      }`;
  }

  #confused({ actual, predicted, examples }: Confused) {
    const href = this.#linkOf(actual);
    return html`<li>
      ${href === null ? actual : html`<a href=${href}>${actual}</a>`}
      <gw-icon name="arrow-right"></gw-icon><strong>${predicted}</strong>
      <span class="quiet">${formatCount(examples.length, 'example')}</span>
      <span class="ids end"
        >${examples.map(
          ({ id, label }) =>
            html`<span><code>#${id}</code>${label === null ? '' : ` ${label}`}</span>`,
        )}</span
      >
    </li>`;
  }
}

customElements.define('gw-evaluation', GwEvaluation);

declare global {
  interface HTMLElementTagNameMap {
    'gw-evaluation': GwEvaluation;
  }
}
