// Defines the History screen: integrity, and the sections that extensions add.

import { LitElement, html } from 'lit';
import { html as staticHtml, unsafeStatic } from 'lit/static-html.js';

import { Code } from '../elements/code.ts';
import '../elements/page.ts';
import '../elements/tabs.ts';
import { Watch } from '../elements/watch.ts';
import { extensions } from '../extension.ts';
import type { Section } from '../extension.ts';
import { noSuchPage } from '../shell/no-screen.ts';
import { linkTo, place } from '../state/location.ts';
import { base } from '../styles/base.ts';

const own: readonly Section[] = [
  {
    value: 'log',
    label: 'Integrity',
    about: 'Log integrity, signatures and projections.',
    order: 8,
    load: () => import('./history/log.ts'),
  },
];

const sections = [...own, ...extensions.flatMap(({ sections = [] }) => sections)].toSorted(
  (one, other) => one.order - other.order,
);

/** A number is the position of a change. Undefined for an unknown name. */
const sectionOf = (name = sections[0]?.value): Section | undefined =>
  sections.find(({ value }) => value === (/^\d+$/.test(name ?? '') ? 'changes' : name));

class ScreenHistory extends LitElement {
  static override styles = [base];
  readonly #code = new Code(this);
  readonly #place = new Watch(this, place);

  protected override render() {
    const [name] = this.#place.value.rest;
    const section = sectionOf(name);
    if (section === undefined) return noSuchPage(`history/${name}`);
    return html`<gw-page heading="History" about=${section.about}>
      <gw-tabs
        label="Sections of the history"
        chosen=${section.value}
        .tabs=${sections.flatMap(({ value, label, inner }) =>
          inner === true && value !== section.value
            ? []
            : [{ value, label, href: this.#hrefOf(value) }],
        )}
      ></gw-tabs>
      ${this.#section(section)}
    </gw-page>`;
  }

  /** A link to another section drops the query. */
  #hrefOf(value: string): string {
    const { rest, query } = this.#place.value;
    if (rest[0] === value) return linkTo({ screen: 'history', rest, query });
    return linkTo({ screen: 'history', rest: value === sections[0]?.value ? [] : [value] });
  }

  #section({ value, load }: Section) {
    // The name comes from the table above, not from the address, so it is a safe tag name.
    const tag = unsafeStatic(`gw-history-${value}`);
    return this.#code.shown({ name: value, load, draw: () => staticHtml`<${tag}></${tag}>` });
  }
}

customElements.define('gw-screen-history', ScreenHistory);
