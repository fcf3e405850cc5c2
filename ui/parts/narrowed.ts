// Says beside a list that it is of one other record alone, and goes back to all of it.

import { html, nothing } from 'lit';

import '../elements/icon.ts';

type Narrowed = Readonly<{
  /** Whose it is; empty is nobody's. */
  asked: string;
  /** `Of search-service-1`. */
  words: string;
  /** To the whole list. */
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
