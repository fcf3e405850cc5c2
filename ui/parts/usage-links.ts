// Links a record to its requests, spend and charts.

import { html, nothing } from 'lit';

import type { Grouping } from '../lib/observe/usage.ts';
import { linkTo } from '../state/location.ts';
import type { Fact } from './facts.ts';

const range = '7d';

type Of = Readonly<{ grouping: Grouping; name: string; hasCharts?: boolean }>;

/** A past version has no usage of its own; the links show current usage. */
export const usageFact = ({ grouping, name, hasCharts = false }: Of): Fact => {
  const query = { group: grouping, range };
  const requests = linkTo({ screen: 'usage', rest: [grouping, name], query });
  const charts = linkTo({ screen: 'metrics', query: { [grouping]: name, range } });
  const links = html`<a href=${requests}>Requests and spend</a>${
      hasCharts ? html` · <a href=${charts}>charts</a>` : nothing
    }`;
  return ['Usage', links];
};
