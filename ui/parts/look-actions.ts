// Beside the heading of a screen that observes: which time is shown, how old what is shown is, and a way to stop it.

import { html } from 'lit';

import '../elements/freshness.ts';
import '../elements/form/range.ts';
import { writeRange } from '../lib/page/range.ts';
import type { Range } from '../lib/page/range.ts';

type Look = Readonly<{
  range: Range;
  shown: Readonly<{ updatedAt: number | null; loading: boolean }>;
  /** Told of the range that is chosen, as it stands in the address. */
  choose: (range: string) => void;
}>;

/** For a gw-page. */
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
