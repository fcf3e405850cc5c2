// Defines the screen of prompt classes, their evaluation, and the test of a prompt.

import { html, nothing } from 'lit';

import { call } from '../api/http/call.ts';
import { asFailure } from '../api/http/failure.ts';
import type { ApiFailure } from '../api/http/failure.ts';
import '../elements/badge.ts';
import '../elements/empty.ts';
import '../elements/error.ts';
import '../elements/icon.ts';
import { loaded, failureNotice } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/segments.ts';
import type { Column } from '../elements/table/table.ts';
import { adminCurl } from '../lib/saves/copy-as.ts';
import { marginText } from '../lib/routing/evaluation.ts';
import { formatCount } from '../lib/text/format.ts';
import { historyOf } from '../parts/entity-history.ts';
import { RecordScreen } from '../parts/record-screen.ts';
import { linkTo, openRest } from '../state/location.ts';
import { may } from '../state/session.ts';
import { record } from '../styles/record.ts';
import './prompt-classes/evaluation.ts';
import { examplesForm } from './prompt-classes/examples-form.ts';
import { classForm } from './prompt-classes/form.ts';
import { loadClasses } from './prompt-classes/load.ts';
import type { ClassRow } from './prompt-classes/load.ts';
import { classRecord } from './prompt-classes/record.ts';
import { classDeletion } from './prompt-classes/saves.ts';
import './prompt-classes/trial.ts';

const text = {
  heading: 'Prompt classes',
  about: 'Classes of prompts, defined by examples. Rules can route by class.',
  add: 'Create class',
  adding: 'Create prompt class',
  noRules: 'No rules',
  empty: 'No prompt classes yet',
  emptyAbout:
    'A prompt class is defined by example prompts. Rules can route prompts of a class to a specific model.',
  unevaluated: 'Not evaluated yet',
  unevaluatedAbout:
    'An evaluation classifies each example without using it as an example (leave-one-out). ' +
    'It shows precision, recall and margins of each class.',
  toClasses: 'Go to classes',
  unused: 'No rule uses this class.',
  usersLost: 'These rules will no longer match any request:',
};

const evaluationPart = 'evaluation';

const columns: readonly Column<ClassRow>[] = [
  { id: 'name', label: 'Name', value: ({ name }) => name },
  {
    id: 'routable',
    label: 'State',
    value: ({ routable }) => (routable ? 'routable' : 'not routable'),
    cell: ({ routable }) =>
      html`<gw-badge tone=${routable ? 'good' : 'warn'}
        >${routable ? 'routable' : 'not routable'}</gw-badge
      >`,
  },
  { id: 'tier', label: 'Tier', value: ({ tier }) => tier },
  { id: 'refines', label: 'Refines', value: ({ refines }) => refines.join(', ') },
  {
    id: 'min_margin',
    label: 'Margin',
    end: true,
    value: ({ min_margin }) => min_margin,
    cell: ({ min_margin }) => marginText(min_margin),
  },
  { id: 'examples', label: 'Examples', end: true, value: ({ examples }) => examples },
  {
    id: 'askers',
    label: 'Used by',
    value: ({ askers }) =>
      askers.map(({ name, rules }) => `${name} ${rules.join(', ')}`).join('; '),
    cell: ({ askers }) =>
      askers.length === 0
        ? html`<span class="quiet">${text.noRules}</span>`
        : askers.map(
            ({ id, name, rules }, index) =>
              html`${index === 0 ? '' : ', '}<a
                  href=${linkTo({ screen: 'frontend-models', rest: [id] })}
                  >${name}</a
                >
                <span class="quiet">${rules.join(', ')}</span>`,
          ),
  },
  { id: 'description', label: 'Description', value: ({ description }) => description },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];

class ScreenPromptClasses extends RecordScreen {
  static override styles = [RecordScreen.styles, record].flat();
  static override properties = {
    ...RecordScreen.properties,
    busy: { state: true },
    unevaluated: { state: true },
  };
  declare busy: boolean;
  /** The failure of the last evaluation. */
  declare unevaluated: ApiFailure | null;
  protected override readonly screen = 'prompt-classes';
  readonly #classes = new Resource(this, loadClasses, { pollMs: 30_000 });
  readonly #evaluations = new Resource(
    this,
    async (signal) => (await call('GET', '/admin/prompt-classes/evaluations', { signal })).body,
    { pollMs: 30_000 },
  );

  constructor() {
    super();
    this.busy = false;
    this.unevaluated = null;
  }

  protected override reload(): Promise<void> {
    return this.#classes.reload();
  }

  /** `/`, `/new`, `/4`, `/4/edit`, `/4/examples`, `/evaluation`. */
  protected override render() {
    const { value: rows } = this.#classes;
    const opened = this.openedIn(rows);
    return html`<gw-page heading=${text.heading} about=${text.about}>
        ${rows === undefined || rows.length === 0 ? nothing : this.#evaluateButton()}
        ${this.adder(text.add, { inHead: true })} ${failureNotice(this.#classes)}
        <gw-error retriable .failure=${this.unevaluated} @gw-retry=${this.#evaluate}></gw-error>
        ${loaded(this.#classes, (all) => this.#shown(all), { empty: () => this.#empty() })}
      </gw-page>
      ${this.#opened(opened, rows ?? [])}
      ${this.asking(opened === null ? nothing : this.#breakage(opened))}`;
  }

  #isEvaluation(): boolean {
    return this.rest[0] === evaluationPart;
  }

  /** An evaluation changes no configuration, so it needs no review. */
  #evaluateButton() {
    if (!may('config:write')) return nothing;
    return html`<button
      slot="actions"
      type="button"
      ?disabled=${this.busy}
      @click=${this.#evaluate}
    >
      <gw-icon name="gauge"></gw-icon>${this.busy ? 'Evaluating…' : 'Evaluate'}
    </button>`;
  }

  #empty() {
    const command = adminCurl({
      origin: globalThis.location.origin,
      path: '/admin/prompt-classes',
      body: { name: 'billing', examples: ['Why was I charged twice?', 'Send me the invoice'] },
    });
    return html`<gw-empty heading=${text.empty} icon="tags" command=${command}>
      <span slot="about">${text.emptyAbout}</span>
      ${this.adder(text.add, { inHead: false })}
    </gw-empty>`;
  }

  #segments(rows: readonly ClassRow[]) {
    const [newest] = this.#evaluations.value ?? [];
    return html`<gw-segments
      slot="bar"
      label="View"
      chosen=${this.#isEvaluation() ? evaluationPart : ''}
      .segments=${[
        {
          value: '',
          label: 'classes',
          count: rows.length,
          href: linkTo({ screen: this.screen }),
        },
        {
          value: evaluationPart,
          label: 'evaluation',
          count: newest?.classes.length ?? 0,
          href: linkTo({ screen: this.screen, rest: [evaluationPart] }),
        },
      ]}
    ></gw-segments>`;
  }

  #shown(rows: readonly ClassRow[]) {
    if (this.#isEvaluation()) return this.#evaluation(rows);
    const isStale = this.#classes.failure !== null;
    const bar = this.#segments(rows);
    return html`${this.table({ label: text.heading, noun: 'class', columns, rows, isStale, bar })}
    ${may('config:write') ? html`<gw-class-trial></gw-class-trial>` : nothing}`;
  }

  #evaluation(rows: readonly ClassRow[]) {
    return html`${failureNotice(this.#evaluations)}
    ${loaded(
      this.#evaluations,
      (evaluations) =>
        html`<gw-evaluation .evaluations=${evaluations} .classes=${rows}
          >${this.#segments(rows)}</gw-evaluation
        >`,
      { empty: () => this.#unevaluatedYet() },
    )}`;
  }

  #unevaluatedYet() {
    return html`<gw-empty heading=${text.unevaluated} icon="gauge">
      <span slot="about">${text.unevaluatedAbout}</span>
      ${
        may('config:write')
          ? html`<button
              type="button"
              class="primary"
              ?disabled=${this.busy}
              @click=${this.#evaluate}
            >
              Evaluate
            </button>`
          : nothing
      }
      <a class="button" href=${linkTo({ screen: this.screen })}>${text.toClasses}</a>
    </gw-empty>`;
  }

  #opened(one: ClassRow | null, rows: readonly ClassRow[]) {
    const aspect = one === null ? null : this.aspect();
    const isForm = this.isNew() || aspect === 'edit' || aspect === 'examples';
    const prefix = aspect === 'examples' ? 'Examples of ' : '';
    return this.drawer({
      heading: this.isNew() ? text.adding : `${prefix}${one?.name ?? ''}`,
      actions: one === null || isForm ? nothing : this.actionsFor(one, () => classDeletion(one)),
      content: isForm
        ? one !== null && aspect === 'examples'
          ? examplesForm(one)(this.failure)
          : this.#form(one, rows)
        : one === null
          ? null
          : this.#record(one),
    });
  }

  #form(one: ClassRow | null, rows: readonly ClassRow[]) {
    const refinable = rows.filter(({ id, tier }) => tier === 'fast' && id !== one?.id);
    return classForm(
      one,
      refinable.map(({ name }) => name),
    )(this.failure);
  }

  #record(one: ClassRow) {
    return html`${classRecord(one, this)} ${historyOf('prompt_class', one)}`;
  }

  #breakage({ name, askers, examples }: ClassRow) {
    if (this.save?.danger !== true) return nothing;
    const where = askers.map((one) => `${one.name} (${one.rules.join(', ')})`).join(', ');
    return html`<p>
        This also deletes ${formatCount(examples, 'example')}. Classes that refine
        <code>${name}</code> no longer do.
      </p>
      ${
        askers.length === 0
          ? html`<p>${text.unused}</p>`
          : html`<p>${text.usersLost}</p>
              <p><code>${where}</code></p>`
      }`;
  }

  readonly #evaluate = async (): Promise<void> => {
    this.busy = true;
    this.unevaluated = null;
    try {
      await call('POST', '/admin/prompt-classes/evaluate');
      await this.#evaluations.reload();
      openRest([evaluationPart]);
    } catch (error) {
      this.unevaluated = asFailure(error);
    } finally {
      this.busy = false;
    }
  };
}

customElements.define('gw-screen-prompt-classes', ScreenPromptClasses);
