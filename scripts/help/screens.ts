// Lists the documentation page of each screen of the management UI: a file of `docs`, with the anchor of a heading.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const helpPages: Readonly<Record<string, string>> = {
  overview: 'concepts.md',
  metrics: 'guides/monitor.md',
  usage: 'guides/usage-and-prices.md',
  requests: 'guides/find-requests.md',
  playground: 'guides/why-a-request-went-there.md',
  'frontend-models': 'guides/route-by-rule.md',
  routing: 'guides/route-by-rule.md#see-the-routing-as-a-picture',
  'prompt-classes': 'guides/prompt-classes.md',
  models: 'guides/connect-a-provider.md#fields-of-a-model',
  providers: 'guides/connect-a-provider.md',
  'mcp-servers': 'guides/connect-a-provider.md#mcp-servers-and-agents',
  agents: 'guides/connect-a-provider.md#mcp-servers-and-agents',
  keys: 'guides/keys-and-secrets.md#take-access-away',
  tokens: 'guides/automation.md',
  principals: 'concepts.md#principals-keys-roles-grants',
  roles: 'guides/keys-and-secrets.md#permissions',
  limits: 'guides/limits-and-budgets.md',
  history: 'guides/undo-a-change.md',
  audit: 'guides/undo-a-change.md#find-a-change',
  webhooks: 'guides/notifications.md',
  fleet: 'guides/monitor.md#fleet',
  deployment: 'guides/kubernetes.md',
  settings: 'reference/settings.md',
};

/** The management UI links to screens/<name>, which leads to the page. So the UI does not have to hold the table. */
export function writeScreenPages(folder: string): void {
  mkdirSync(path.join(folder, 'screens'), { recursive: true });
  for (const [screen, page] of Object.entries(helpPages)) {
    const address = `../${page.replace('.md', '.html')}`;
    const text = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>gw</title>
    <meta http-equiv="refresh" content="0; url=${address}" />
  </head>
  <body><a href="${address}">${page}</a></body>
</html>
`;
    writeFileSync(path.join(folder, 'screens', `${screen}.html`), text);
  }
}
