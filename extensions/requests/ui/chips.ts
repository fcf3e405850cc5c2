// The filters of requests as chips that can be added, edited and removed.

import { html, nothing } from 'lit';

import { element, given, state, text } from '../../../ui/elements/element.ts';
import type { UsageEvent } from '../../../ui/api/records.ts';
import '../../../ui/elements/form/combobox.ts';
import '../../../ui/elements/icon.ts';
import { Resource } from '../../../ui/elements/resource.ts';
import { base, buttons, controls } from '../../../ui/styles/base.ts';
import { chipStyles } from './chip-styles.ts';
import { chipText, filters, isSet, noFilters, parametersOf } from './filters.ts';
import type { Filter, Query } from './filters.ts';
import { loadRecords } from './records.ts';

type Change = Readonly<Record<string, string | null>>;

/** Dispatches `gw-filter` with changed parameters; null removes one. */
class GwRequestFilters extends element({
  label: text('Filters'),
  query: given<Query>({}),
  /** Their values are suggested. */
  rows: given<readonly UsageEvent[]>([]),
  /** The name of a filter. */
  editing: state<string | null>(null),
}) {
  static override styles = [base, buttons, controls, chipStyles];
  readonly #records = new Resource(this, (signal) => loadRecords(this.#sources(), signal), {
    question: () => this.#sources().join(' '),
  });

  /** Only the lists that are shown. */
  #sources() {
    return filters.flatMap((filter) =>
      filter.kind === 'named' && (isSet(filter, this.query) || filter.name === this.editing)
        ? [filter.of]
        : [],
    );
  }

  protected override render() {
    const set = filters.filter((filter) => isSet(filter, this.query));
    const edited = filters.find(({ name }) => name === this.editing);
    const isNew = edited !== undefined && !set.includes(edited);
    return html`<ul aria-label=${this.label}>
      ${set.map((filter) => (filter === edited ? this.#editor(filter) : this.#chip(filter)))}
      ${isNew ? this.#editor(edited) : nothing}
      <li>${this.#adder(set)}</li>
      ${
        set.length < 2
          ? nothing
          : html`<li>
              <button type="button" class="plain" @click=${() => this.#tell(noFilters)}>
                Clear filters
              </button>
            </li>`
      }
    </ul>`;
  }

  #adder(set: readonly Filter[]) {
    const choices = filters
      .filter((filter) => !set.includes(filter))
      .map(({ name, label }) => ({ value: name, label }));
    return html`<gw-combobox
      class="adder"
      filter
      label="Add filter"
      .choices=${[{ value: '', label: 'Add filter' }, ...choices]}
      @gw-choose=${this.#onAdd}
    ></gw-combobox>`;
  }

  #chip(filter: Filter) {
    const words = chipText(filter, this.query, (of, value) => {
      const found = this.#records.value?.[of]?.find((one) => one.value === value);
      return found?.label ?? (/^\d+$/.test(value) ? `id ${value}` : value);
    });
    return html`<li class="chip">
      <button
        type="button"
        class="plain words"
        aria-label="Edit filter ${filter.label}: ${words}"
        @click=${() => this.#edit(filter.name)}
      >
        <span class="label">${filter.label}</span> ${words}
      </button>
      <button
        type="button"
        class="plain icon"
        aria-label="Remove filter ${filter.label}"
        title="Remove"
        @click=${() => this.#remove(filter)}
      >
        <gw-icon name="x"></gw-icon>
      </button>
    </li>`;
  }

  #editor(filter: Filter) {
    return html`<li>
      <form class="chip editor" @submit=${this.#onSubmit} @keydown=${this.#onKey}>
        <span class="label" id="label">${filter.label}</span> ${this.#inputs(filter)}
        ${
          filter.kind === 'range' || filter.kind === 'seen'
            ? html`<button class="primary">Apply</button>`
            : nothing
        }
        <button
          type="button"
          class="plain icon"
          aria-label="Cancel"
          title="Cancel"
          @click=${() => this.#edit(null)}
        >
          <gw-icon name="x"></gw-icon>
        </button>
      </form>
    </li>`;
  }

  #inputs(filter: Filter) {
    const value = this.query[filter.name] ?? '';
    switch (filter.kind) {
      case 'named':
      case 'choice': {
        const choices =
          filter.kind === 'choice' ? filter.choices : (this.#records.value?.[filter.of] ?? []);
        return html`<gw-combobox
          data-editor
          label=${filter.label}
          .choices=${choices}
          .value=${value}
          @gw-choose=${({ detail }: CustomEvent<string>) => this.#apply({ [filter.name]: detail })}
        ></gw-combobox>`;
      }
      case 'seen':
        return html`<input
            data-editor
            name=${filter.name}
            aria-label=${filter.label}
            placeholder=${filter.example}
            list="seen"
            autocomplete="off"
            spellcheck="false"
            .value=${value}
          />
          <datalist id="seen">
            ${this.#seen(filter.name).map((one) => html`<option value=${one}></option>`)}
          </datalist>`;
      case 'range':
        return parametersOf(filter).map((name, index) => {
          const given = this.query[name];
          return html`<input
            ?data-editor=${index === 0}
            class="end"
            type="number"
            min="0"
            step=${filter.scale === 1 ? '1' : 'any'}
            name=${name}
            aria-label="${filter.label} ${index === 0 ? 'from' : 'below'}, ${filter.unit}"
            placeholder="${index === 0 ? 'from' : 'below'}, ${filter.unit}"
            .value=${given === undefined ? '' : String(Number(given) / filter.scale)}
          />`;
        });
    }
  }

  #seen(name: string): readonly string[] {
    const values = this.rows.map((row): unknown => Reflect.get(row, name));
    return [...new Set(values.filter((value) => typeof value === 'string'))].toSorted();
  }

  #edit(name: string | null): void {
    this.editing = name;
    if (name !== null) void this.#focusEditor();
  }

  async #focusEditor(): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('[data-editor]')?.focus();
  }

  #apply(change: Change): void {
    this.editing = null;
    this.#tell(change);
    this.#focusAdder();
  }

  #remove(filter: Filter): void {
    this.#tell(Object.fromEntries(parametersOf(filter).map((name) => [name, null])));
    this.#focusAdder();
  }

  /** The focused chip is gone. */
  #focusAdder(): void {
    this.renderRoot.querySelector<HTMLElement>('.adder')?.focus();
  }

  #tell(detail: Change): void {
    this.dispatchEvent(new CustomEvent('gw-filter', { detail }));
  }

  readonly #onAdd = ({ detail, currentTarget }: CustomEvent<string>): void => {
    if (currentTarget !== null) Reflect.set(currentTarget, 'value', '');
    if (detail !== '') this.#edit(detail);
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    this.#edit(null);
    this.#focusAdder();
  };

  readonly #onSubmit = (event: Event): void => {
    event.preventDefault();
    const filter = filters.find(({ name }) => name === this.editing);
    if (!(event.target instanceof HTMLFormElement) || filter === undefined) return;
    const typed = new FormData(event.target);
    const scale = filter.kind === 'range' ? filter.scale : null;
    const change = parametersOf(filter).map((name) => {
      const entry = typed.get(name);
      const value = typeof entry === 'string' ? entry.trim() : '';
      const scaled = scale === null ? value : String(Math.round(Number(value) * scale));
      return [name, value === '' ? null : scaled] as const;
    });
    this.#apply(Object.fromEntries(change));
  };
}

customElements.define('gw-request-filters', GwRequestFilters);
