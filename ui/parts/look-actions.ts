// Draws the time range and the freshness in the head of an observing screen.

import { html } from 'lit';

import '../elements/freshness.ts';
import '../elements/form/range.ts';
import { writeRange } from '../lib/page/range.ts';
import type { Range } from '../lib/page/range.ts';

type Look = Readonly<{
  range: Range;
  shown: Readonly<{ updatedAt: number | null; loading: boolean }>;
  /** Called with the chosen range, as in the address. */
  choose: (range: string) => void;
}>;

/** Goes into a gw-page. */
export const lookActions = ({ range, shown, choose }: Look) =>
  html`<gw-range
      slot="actions"
      value=${writeRange(range)}
      @gw-range=${({ detail }: CustomEvent<string>) => choose(detail)}
    ></gw-range>
    <gw-freshness
      slot="actions"
      .updatedAt=${shown.updatedAt}
      ?loading=${shown.loading}
    ></gw-freshness>`;
