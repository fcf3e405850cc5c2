// Draws facts of a record as names and values.

import { html, nothing } from 'lit';

import '../elements/copy.ts';
import '../elements/icon.ts';
import '../elements/time.ts';
import { linkTo } from '../state/location.ts';

export type Fact = readonly [name: string, value: unknown];

export const factRow = ([name, value]: Fact) =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`;

/** Needs the styles of `record`. */
export const facts = (given: readonly (Fact | null)[]) =>
  html`<dl>${given.map((fact) => (fact === null ? nothing : factRow(fact)))}</dl>`;

/** A value with a copy button. */
export const copied = (text: string, label: string, shown: unknown = text) =>
  html`${shown}<gw-copy text=${text} label=${label}></gw-copy>`;

export const idFact = (id: number): Fact => ['Id', copied(String(id), 'id')];

export const none = html`<span class="quiet">none</span>`;

type Named = Readonly<{ id: number; name: string }>;

/** With the names of the rules. */
export const userRows = <User extends Named>(
  users: readonly User[],
  placesOf: (user: User) => readonly string[],
  without: string,
) =>
  html`<div class="section"><h3>Used by</h3></div>
    ${
      users.length === 0
        ? html`<p class="quiet">${without}</p>`
        : html`<ul class="rows" aria-label="Used by">
            ${users.map(
              (one) =>
                html`<li>
                  <a href=${linkTo({ screen: 'frontend-models', rest: [one.id] })}>${one.name}</a>
                  <span class="quiet end"
                    >${placesOf(one).map((place) => html`<code>${place}</code> `)}</span
                  >
                </li>`,
            )}
          </ul>`
    }`;

export const moment = (at: string) =>
  html`<gw-time at=${at}></gw-time>
    <span class="quiet">· <gw-time absolute at=${at}></gw-time></span>`;

export const remover = (label: string, title: string, remove: () => void) =>
  html`<button
    type="button"
    class="plain icon end"
    aria-label=${label}
    title=${title}
    @click=${remove}
  >
    <gw-icon name="x"></gw-icon>
  </button>`;
