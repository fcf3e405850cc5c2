// Links a record to its requests, spend and charts.

import { html, nothing } from 'lit';

import type { Grouping } from '../lib/observe/usage.ts';
import { linkTo } from '../state/location.ts';
import type { Fact } from './facts.ts';

const range = '7d';

type Of = Readonly<{
  grouping: Grouping;
  name: string;
  hasCharts?: boolean;
  hasPrices?: boolean;
}>;

/** A past version has no usage of its own; the links show current usage. */
export const usageFact = ({ grouping, name, hasCharts = false, hasPrices = false }: Of): Fact => {
  const inRange = (range: string): string =>
    linkTo({ screen: 'usage', rest: [grouping, name], query: { group: grouping, range } });
  const charts = linkTo({ screen: 'metrics', query: { [grouping]: name, range } });
  const links = html`<a href=${inRange(range)}>Requests and spend</a>${
      hasCharts ? html` · <a href=${charts}>charts</a>` : nothing
    }${hasPrices ? html` · <a href=${inRange('30d')}>what other prices would cost</a>` : nothing}`;
  return ['Usage', links];
};
