// Draws the newest evaluation of prompt classes, its differences to an earlier one, and misclassified examples.

import { css, html, nothing } from 'lit';

import { element, given, state } from '../../elements/element.ts';
import type { Evaluation } from '../../api/records.ts';
import '../../elements/badge.ts';
import '../../elements/form/field.ts';
import type { FieldInput } from '../../elements/form/field.ts';
import '../../elements/icon.ts';
import '../../elements/table/table.ts';
import type { Column } from '../../elements/table/table.ts';
import '../../elements/time.ts';
import { Watch } from '../../elements/watch.ts';
import {
  adviceOf,
  comparedOf,
  confusionsOf,
  encodersText,
  evaluatorOf,
  gainOf,
  gainText,
  marginText,
  shareText,
  toneOfVerdict,
} from '../../lib/routing/evaluation.ts';
import type { Confused, Measure } from '../../lib/routing/evaluation.ts';
import { formatCount, formatTime } from '../../lib/text/format.ts';
import { linkTo } from '../../state/location.ts';
import { zone } from '../../state/preferences.ts';
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
    label: 'Minimum margin',
    end: true,
    value: ({ min_margin }) => min_margin,
    cell: ({ min_margin }) => marginText(min_margin),
  },
  { id: 'nearest', label: 'Nearest classes', value: nearestText },
  { id: 'advice', label: 'Recommendation', spare: true, value: adviceOf },
  { id: 'examples', label: 'Examples', end: true, spare: true, value: ({ examples }) => examples },
];

class GwEvaluation extends element({
  /** Newest first. */
  evaluations: given<readonly Evaluation[]>([]),
  classes: given<readonly Named[]>([]),
  /** Null before a selection. */
  comparedId: state<number | null>(null),
}) {
  static override styles = [
    base,
    record,
    css`
      .when {
        margin-bottom: var(--space-3);
        color: var(--text-2);
      }

      gw-field {
        max-width: 36rem;
        margin-bottom: var(--space-3);
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
  readonly #zone = new Watch(this, zone);
  #columns = columnsOf(null);
  #before: Evaluation | null = null;

  /** Keeps the columns unless the compared evaluation changes. */
  #columnsFor(before: Evaluation | null): readonly Column<Evaluated>[] {
    if (before !== this.#before) this.#columns = columnsOf(before);
    this.#before = before;
    return this.#columns;
  }

  protected override render() {
    const [evaluation] = this.evaluations;
    if (evaluation === undefined) return nothing;
    const compared = comparedOf(this.evaluations, this.comparedId);
    const examples = evaluation.classes.reduce((sum, one) => sum + one.examples, 0);
    return html`<p class="when">
        Evaluated <gw-time at=${evaluation.evaluated_at}></gw-time> by
        <strong>${evaluatorOf(evaluation)}</strong> on version ${evaluation.snapshot_version}, with
        encoder <code>${encodersText(evaluation)}</code>. ${formatCount(examples, 'example')},
        leave-one-out.
        ${compared === null ? 'The next evaluation shows the differences to this one.' : nothing}
      </p>
      ${compared === null ? nothing : this.#comparison(evaluation, compared)}
      ${evaluation.note === null ? nothing : html`<p class="notice warn">${evaluation.note}</p>`}
      <gw-table
        label="Evaluation"
        noun="class"
        .columns=${this.#columnsFor(compared)}
        .rows=${evaluation.classes}
        .keyOf=${(one: Evaluated) => `${one.refines ?? ''}/${one.class}`}
        .hrefOf=${(one: Evaluated) => this.#linkOf(one.class)}
        .view=${tableView()}
        @gw-view=${keepView}
        ><slot slot="bar" name="bar"></slot
      ></gw-table>
      ${this.#advice(evaluation)} ${this.#confusions(evaluation)}`;
  }

  #comparison(evaluation: Evaluation, compared: Evaluation) {
    const isOther = encodersText(evaluation) !== encodersText(compared);
    const choices = this.evaluations.slice(1).map((one) => {
      const at = formatTime(new Date(one.evaluated_at), this.#zone.value);
      const label = `${at} by ${evaluatorOf(one)}, version ${one.snapshot_version}`;
      return { value: String(one.id), label };
    });
    return html`<gw-field
      name="compared"
      label="Compare with"
      type="select"
      required
      hint=${isOther ? `Used a different encoder: ${encodersText(compared)}` : ''}
      .choices=${choices}
      .value=${String(compared.id)}
      @gw-input=${this.#onCompared}
    ></gw-field>`;
  }

  readonly #onCompared = ({ detail }: CustomEvent<FieldInput>): void => {
    this.comparedId = Number(detail.value);
  };

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
    return html`<h2>Recommendations</h2>
      <ul class="rows confused" aria-label="Recommendations">
        ${advised.map(({ one, advice }) => html`<li><strong>${one.class}</strong> ${advice}</li>`)}
      </ul>`;
  }

  #confusions(evaluation: Evaluation) {
    const confused = confusionsOf(evaluation);
    return html`<h2>Misclassified examples</h2>
      ${
        confused.length === 0
          ? html`<p class="quiet">No misclassified examples.</p>`
          : html`<ul class="rows confused" aria-label="Misclassified examples">
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
