// Lists the GET routes that support past versions. Metrics and the log do not.

import { allNouns } from '../../../events/nouns.ts';

const configuration = [
  ...allNouns
    .filter(({ noun }) => noun !== 'change_request')
    .flatMap(({ paths }) => paths.slice(0, 1)),
  'budgets',
  'fallback-model',
  'limits',
  'rules',
].map((resource) => `/admin/${resource}`);

export const takesAsOf = (path: string): boolean =>
  !path.endsWith('/available-models') &&
  configuration.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
