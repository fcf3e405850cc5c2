// Draws the filter of a list that shows only the records of another record, with a link to remove it.

import { html, nothing } from 'lit';

import '../elements/icon.ts';

type Narrowed = Readonly<{
  /** The id of the other record; empty for none. */
  asked: string;
  /** `Principal: search-service-1`. */
  words: string;
  href: string;
}>;

export const narrowedBy = ({ asked, words, href }: Narrowed) =>
  asked === ''
    ? nothing
    : html`<a
        slot="bar"
        class="button"
        href=${href}
        title="Show all"
        aria-label="${words}, show all"
        >${words}<gw-icon name="x"></gw-icon
      ></a>`;
