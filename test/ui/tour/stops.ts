// The stops of the tour: the screen, the steps before the picture is taken, and the caption.

import type { Page } from 'playwright-core';

export type Stop = Readonly<{
  /** The name of the picture files. */
  name: string;
  title: string;
  about: string;
  /** Relative to /ui/. */
  path: string;
  /** An operator manages the process. */
  managed?: true;
  /** In the offline viewer, with an export of the company; the path follows the # of its address. */
  offline?: true;
  act?: (page: Page, given: Readonly<{ key: string }>) => Promise<void>;
}>;

export const stops: readonly Stop[] = [
  {
    name: 'overview',
    title: 'Overview',
    path: '?range=7d',
    about:
      'Gateway health and recent changes. Every number links to the screen that explains ' +
      'it. Until the first request is answered, a checklist shows the steps to it.',
  },
  {
    name: 'metrics',
    title: 'Metrics',
    path: 'metrics?range=24h',
    about:
      'Requests, latency, upstream responses and admission, with one cursor across all charts.',
  },
  {
    name: 'usage',
    title: 'Usage and spend',
    path: 'usage?range=7d',
    about:
      'Requests, tokens and spend by model, frontend model, principal or day, compared ' +
      'with the previous period, down to a single request. Requests without a price are ' +
      'shown as unpriced, never as free.',
  },
  {
    name: 'requests',
    title: 'Requests',
    path: 'requests?range=7d',
    about:
      'Single requests by any filter, with histograms that narrow it, two groups compared, and ' +
      'a live view. The address contains the whole view.',
  },
  {
    name: 'playground',
    title: 'Playground',
    path: 'playground?model=ask',
    about:
      'Send a chat through the gateway with your own key, and see its route, model, ' +
      'tokens, cost and routing decision.',
    act: async (page, { key }) => {
      await page.getByLabel('API key').fill(key);
      await page.getByLabel('Message').fill('What is a gateway for?');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('Routing decision').first().waitFor();
    },
  },
  {
    name: 'frontend-models',
    title: 'Frontend models',
    path: 'frontend-models',
    about: 'The model names that clients call, and the models that answer.',
  },
  {
    name: 'rules',
    title: 'Rules and dry-run',
    path: 'frontend-models/1',
    about:
      'Rules in order, reordered by dragging or with the keyboard, and a dry-run of a ' +
      'request before you publish.',
  },
  {
    name: 'routing',
    title: 'Routing map',
    path: 'routing?range=24h',
    about:
      'How requests get from frontend models through rules, pools and models to providers, ' +
      'with traffic and health. Any version can be shown, or compared with another one.',
  },
  {
    name: 'prompt-classes',
    title: 'Prompt classes',
    path: 'prompt-classes',
    about: 'Classes of prompts, defined by examples, and how well gw distinguishes them.',
  },
  {
    name: 'models',
    title: 'Models',
    path: 'models',
    about: 'Models with their provider, prices, health and use.',
  },
  {
    name: 'providers',
    title: 'Providers',
    path: 'providers',
    about: 'Upstream LLM services.',
  },
  {
    name: 'review',
    title: 'Review of a change',
    path: 'providers/1/edit',
    about:
      'Every change shows a diff, takes a reason, and can be copied as a command. After ' +
      'publication it shows which replicas serve it.',
    act: async (page) => {
      await page.getByLabel('Name').fill('OpenAI (EU)');
      await page.getByRole('button', { name: 'Review change' }).click();
      await page.getByLabel('Reason').fill('CHG-112: named by region');
    },
  },
  {
    name: 'mcp-servers',
    title: 'MCP servers',
    path: 'mcp-servers',
    about: 'MCP servers with their credentials.',
  },
  {
    name: 'agents',
    title: 'Agents',
    path: 'agents',
    about: 'A2A agents with their credentials.',
  },
  {
    name: 'keys',
    title: 'API keys',
    path: 'keys',
    about: 'Credentials for clients. A key is shown once, with a ready first request.',
  },
  {
    name: 'tokens',
    title: 'Admin tokens',
    path: 'tokens',
    about: 'Programs such as Terraform call the admin API with them, never with a password.',
  },
  {
    name: 'principals',
    title: 'Principals',
    path: 'principals/5',
    about:
      'Users and service accounts: roles, keys, limits, budget and the models that they can call.',
  },
  {
    name: 'roles',
    title: 'Roles',
    path: 'roles/3',
    about: 'Named sets of permissions, and the principals that hold them.',
  },
  {
    name: 'limits',
    title: 'Limits and budgets',
    path: 'limits',
    about: 'Rate limits and budgets, how much of them is used, and which limit is closest.',
  },
  {
    name: 'webhooks',
    title: 'Webhooks',
    path: 'webhooks',
    about: 'Addresses that get notifications, and whether the last deliveries were accepted.',
  },
  {
    name: 'history',
    title: 'History',
    path: 'history',
    about:
      'All configuration changes: who, what, when and why, down to a single event of the ' +
      'hash-chained log.',
  },
  {
    name: 'versions',
    title: 'Versions',
    path: 'history/versions',
    about: 'Every published configuration. Compare any two, or restore one.',
  },
  {
    name: 'history-compare',
    title: 'Compare two configurations',
    path: 'history/diff?from=3040&to=3060',
    about: 'Field by field, between any two versions, positions or times.',
  },
  {
    name: 'history-restore',
    title: 'Preview of a restore',
    path: 'history/restore/3050',
    about:
      'A preview shows what would change, what is not restored, and the effect on recent traffic.',
  },
  {
    name: 'history-requests',
    title: 'Change requests',
    path: 'history/requests',
    about: 'One person proposes a change, another person approves it.',
  },
  {
    name: 'history-events',
    title: 'Events',
    path: 'history/events',
    about:
      'The event log, filtered by stream, type, request, actor and time. The page verifies ' +
      'the hash chain.',
  },
  {
    name: 'history-access',
    title: 'Access review',
    path: 'history/access',
    about: 'Who could call what at a given time, and the events that granted it.',
  },
  {
    name: 'history-integrity',
    title: 'Integrity',
    path: 'history/log',
    about: 'Verification of the log, its signatures, and the projections derived from it.',
  },
  {
    name: 'as-of',
    title: 'The configuration at an earlier time',
    path: 'models?as_of=140',
    about: 'Every configuration screen at any version or time, read-only.',
  },
  {
    name: 'viewer',
    title: 'Offline log viewer',
    path: 'history/140',
    offline: true,
    about:
      'One HTML file verifies an export of the log, or an evidence pack, in the browser of ' +
      'an auditor, and shows its changes, configurations, differences and access.',
  },
  {
    name: 'audit',
    title: 'Audit log',
    path: 'audit',
    about: 'One row per admin action, filtered on the server, with live updates.',
  },
  {
    name: 'fleet',
    title: 'Fleet',
    path: 'fleet',
    about:
      'Gateway replicas: what they serve and how they see their backends. A replica that ' +
      'falls behind is marked.',
  },
  {
    name: 'deployment',
    title: 'Deployment',
    path: 'deployment',
    managed: true,
    about: 'Desired and actual state where an operator manages the deployment.',
  },
  {
    name: 'settings',
    title: 'Settings',
    path: 'settings',
    about: 'Startup settings, and the source of each value.',
  },
  {
    name: 'palette',
    title: 'Find anything',
    path: '',
    about: 'Ctrl K finds screens and records by name, id or prefix, and starts any action.',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Screen, action or record' }).fill('se');
      await page.getByText('search-service-1', { exact: true }).first().waitFor();
    },
  },
];
