// Filters of the log lists. The server applies them; the address stores them.

import { css, html, nothing } from 'lit';

import { element, given } from '../elements/element.ts';
import { list } from '../api/http/call.ts';
import '../elements/form/combobox.ts';
import '../elements/form/range.ts';
import { Resource } from '../elements/resource.ts';
import { Watch } from '../elements/watch.ts';
import { wordsOf } from '../lib/history/history.ts';
import {
  actorKindWords,
  actorKinds,
  auditActions,
  filterNames,
  isUnfiltered,
} from '../lib/history/log-filter.ts';
import type { FilterName } from '../lib/history/log-filter.ts';
import { changeQuery, place } from '../state/location.ts';
import { base, buttons, controls } from '../styles/base.ts';
import { line } from '../styles/line.ts';

type TextField = Readonly<{ label: string; placeholder: string }>;

const texts: Partial<Readonly<Record<FilterName, TextField>>> = {
  target: { label: 'Target', placeholder: 'Target: /admin/models/7' },
  stream: { label: 'Record', placeholder: 'Record: model-7' },
  command: { label: 'Change', placeholder: 'Change: Update model' },
  type: { label: 'Event type', placeholder: 'Type: ModelPriced' },
  request: { label: 'Request ID', placeholder: 'Request ID' },
};

class GwLogFilters extends element({
  /** In order. */
  fields: given<readonly FilterName[]>([]),
  suggested: given<readonly string[]>([]),
}) {
  static override styles = [
    base,
    buttons,
    controls,
    line,
    css`
      :host {
        margin-bottom: var(--space-3);
      }

      select,
      input {
        width: auto !important;
        min-width: 0;
        max-width: 100%;
      }

      select {
        max-width: 14rem;
      }

      gw-combobox {
        width: 13rem;
      }

      input {
        flex: 0 1 13rem;
      }

      @media (max-width: 640px) {
        input,
        select {
          flex: 1 1 9rem;
        }

        gw-range {
          flex: 1 1 100%;
        }
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #people = new Resource(this, (signal) => list('/admin/principals', { signal }));

  protected override render() {
    const { query } = this.#place.value;
    const first = this.fields.find((name) => name in texts);
    return html`${this.fields.map((name) => this.#field(name, name === first))}
      ${
        isUnfiltered(query)
          ? nothing
          : html`<button type="button" class="plain" @click=${this.#clear}>Clear filters</button>`
      } <slot></slot>`;
  }

  #field(name: FilterName, isFirst: boolean) {
    const value = this.#place.value.query[name] ?? '';
    const text = texts[name];
    if (text !== undefined) return this.#text(name, { ...text, value, isFirst });
    if (name === 'actor') return this.#actors(value);
    if (name === 'action') return this.#actions(value);
    return html`<gw-range
      open
      .value=${value}
      @gw-range=${({ detail }: CustomEvent<string>) => changeQuery({ range: detail })}
    ></gw-range>`;
  }

  #text(
    name: FilterName,
    {
      label,
      placeholder,
      value,
      isFirst,
    }: TextField & Readonly<{ value: string; isFirst: boolean }>,
  ) {
    const hasList = name === 'command' && this.suggested.length > 0;
    return html`<input
        type="search"
        ?data-filter=${isFirst}
        aria-label=${label}
        placeholder=${placeholder}
        list=${hasList ? 'commands' : nothing}
        autocomplete="off"
        spellcheck="false"
        .value=${value}
        @change=${this.#onChange(name)}
      />${
        hasList
          ? html`<datalist id="commands">
              ${this.suggested.map((one) => html`<option value=${one}>${wordsOf(one)}</option>`)}
            </datalist>`
          : nothing
      }`;
  }

  #actors(value: string) {
    const people = (this.#people.value ?? []).toSorted(
      (one, other) => Number(one.kind !== 'user') - Number(other.kind !== 'user'),
    );
    const choices = [
      { value: '', label: 'Any user' },
      ...actorKinds.map((kind) => ({ value: kind, label: actorKindWords(kind) })),
      ...people.map(({ id, name }) => ({ value: String(id), label: name ?? `principal ${id}` })),
    ];
    return html`<gw-combobox
      label="Actor"
      .choices=${choices}
      .value=${value}
      @gw-choose=${({ detail }: CustomEvent<string>) => changeQuery({ actor: detail })}
    ></gw-combobox>`;
  }

  #actions(value: string) {
    return html`<select aria-label="Action" @change=${this.#onChange('action')}>
      <option value="">Any action</option>
      ${auditActions.map(
        (action) => html`<option value=${action} ?selected=${action === value}>${action}</option>`,
      )}
    </select>`;
  }

  readonly #onChange =
    (name: FilterName) =>
    ({ target }: Event): void => {
      if (target instanceof HTMLSelectElement || target instanceof HTMLInputElement) {
        changeQuery({ [name]: target.value.trim() });
      }
    };

  readonly #clear = (): void =>
    changeQuery(Object.fromEntries(filterNames.map((name) => [name, null])));
}

customElements.define('gw-log-filters', GwLogFilters);
