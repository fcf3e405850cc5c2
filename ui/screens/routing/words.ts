// Describes the nodes of the routing for tooltips and the list.

import type { Change, Column, RouteNode } from '../../lib/routing/map/graph.ts';
import type { Traffic } from '../../lib/routing/map/shown.ts';
import { formatCount, formatShare } from '../../lib/text/format.ts';

export const columnNames: Readonly<Record<Column, string>> = {
  frontend: 'Frontend models',
  rule: 'Rules',
  pool: 'Pools',
  model: 'Models',
  provider: 'Providers',
};

export const kinds: Readonly<Record<Column, string>> = {
  frontend: 'frontend model',
  rule: 'rule',
  pool: 'pool',
  model: 'model',
  provider: 'provider',
};

/** Signs, because colors alone are not enough. */
export const signs: Readonly<Record<Change, string>> = { added: '+', removed: '−', changed: '±' };

const failedText = ({ requests, failed }: Traffic): string =>
  failed === 0 ? '' : `${formatShare(failed, requests)} failed`;

export const trafficText = (traffic: Traffic): string =>
  [formatCount(traffic.requests, 'request'), failedText(traffic)]
    .filter((text) => text !== '')
    .join(', ');

export const nodeText = (node: RouteNode, traffic: Traffic | null): string =>
  [
    `${kinds[node.column]} ${node.name}`,
    node.change ?? '',
    node.note,
    node.health?.word ?? '',
    traffic === null ? '' : trafficText(traffic),
  ]
    .filter((text) => text !== '')
    .join(', ');

export const failedShare = ({ requests, failed }: Traffic): string =>
  failed === 0 ? '' : formatShare(failed, requests);
