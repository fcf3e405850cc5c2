// From a record to what was asked of it or by it: its requests with their sums, and its charts where there are any of it alone.

import { html, nothing } from 'lit';

import type { Grouping } from '../lib/observe/usage.ts';
import { linkTo } from '../state/location.ts';
import type { Fact } from './facts.ts';

const range = '7d';

type Of = Readonly<{ grouping: Grouping; name: string; hasCharts?: boolean }>;

/** A moment of the past has no usage of its own: what is shown then is that of now. */
export const usageFact = ({ grouping, name, hasCharts = false }: Of): Fact => {
  const query = { group: grouping, range };
  const requests = linkTo({ screen: 'usage', rest: [grouping, name], query });
  const charts = linkTo({ screen: 'metrics', query: { [grouping]: name, range } });
  const links = html`<a href=${requests}>requests and spend</a>${
      hasCharts ? html` · <a href=${charts}>charts</a>` : nothing
    }`;
  return ['Usage', links];
};
