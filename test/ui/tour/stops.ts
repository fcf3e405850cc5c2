// Where the tour goes, what is done there before the picture is taken, and what is said of it.

import type { Page } from 'playwright-core';

export type Stop = Readonly<{
  /** Of the pictures. */
  name: string;
  title: string;
  about: string;
  /** Below /ui/. */
  path: string;
  /** Where an operator manages the process. */
  managed?: true;
  /** In the viewer, on an export of the company; the path is behind its hash. */
  offline?: true;
  act?: (page: Page, given: Readonly<{ key: string }>) => Promise<void>;
}>;

export const stops: readonly Stop[] = [
  {
    name: 'overview',
    title: 'Overview',
    path: '?range=7d',
    about:
      'How the gateway does now; every number leads to the screen that explains it. Until the first ' +
      'request was answered, the steps to it stand here.',
  },
  {
    name: 'metrics',
    title: 'Metrics',
    path: 'metrics?range=24h',
    about: 'Requests, latency, answers of backends and admission, with one cursor over all charts.',
  },
  {
    name: 'usage',
    title: 'Usage and spend',
    path: 'usage?range=7d',
    about:
      'Grouped by model, frontend model, principal or day, beside the time before, down to one ' +
      'request. What has no price is unpriced, never nothing.',
  },
  {
    name: 'playground',
    title: 'Playground',
    path: 'playground?model=ask',
    about:
      'A real chat through the gateway with a key of your own, and what became of it: route, model, tokens, cost, and why it went there.',
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
    about: 'The names that clients call, and what answers them.',
  },
  {
    name: 'rules',
    title: 'Rules, with a dry-run beside them',
    path: 'frontend-models/1',
    about:
      'Rules in their order, moved by drag or keys, and what they make of a request before they are published.',
  },
  {
    name: 'prompt-classes',
    title: 'Prompt classes',
    path: 'prompt-classes',
    about: 'What prompts are about, by examples, and how well the classes are told apart.',
  },
  {
    name: 'models',
    title: 'Models',
    path: 'models',
    about: 'What providers serve, at which price, how it does and who comes to it.',
  },
  {
    name: 'providers',
    title: 'Providers',
    path: 'providers',
    about: 'The services that models are served by.',
  },
  {
    name: 'review',
    title: 'A change, before it is published',
    path: 'providers/1/edit',
    about:
      'Every change shows what it changes, takes a reason, and can be copied as a command. Then it says which replicas have it.',
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
    about: 'Servers of tools, with their credentials.',
  },
  {
    name: 'agents',
    title: 'Agents',
    path: 'agents',
    about: 'Agents that speak A2A.',
  },
  {
    name: 'keys',
    title: 'API keys',
    path: 'keys',
    about: 'What clients call with. A key is shown once, with a first request to copy.',
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
      'Who calls and who administers: roles, keys, limits, budget, and what may be invoked by them.',
  },
  {
    name: 'roles',
    title: 'Roles',
    path: 'roles/3',
    about: 'Permissions by one name, and who holds them.',
  },
  {
    name: 'limits',
    title: 'Limits and budgets',
    path: 'limits',
    about: 'Who is capped, what is used of it, and which cap is nearer.',
  },
  {
    name: 'history',
    title: 'History',
    path: 'history',
    about: 'Who changed what, when and why, to the single event of the hash-chained log.',
  },
  {
    name: 'versions',
    title: 'Versions',
    path: 'history/versions',
    about:
      'Every configuration that proxies were given. Any two are compared, any one is restored.',
  },
  {
    name: 'history-compare',
    title: 'What lies between two configurations',
    path: 'history/diff?from=3040&to=3060',
    about: 'Field by field, of any two versions, positions or times.',
  },
  {
    name: 'history-restore',
    title: 'A restore, looked at first',
    path: 'history/restore/3050',
    about: 'What would change, what does not come back, and what it would have made of requests.',
  },
  {
    name: 'history-requests',
    title: 'Change requests',
    path: 'history/requests',
    about: 'What one person proposes, and another one approves.',
  },
  {
    name: 'history-events',
    title: 'Events',
    path: 'history/events',
    about:
      'The log itself, by stream, type, request, actor and time, its chain checked by the page.',
  },
  {
    name: 'history-access',
    title: 'Access review',
    path: 'history/access',
    about: 'Who could call what at any moment, and the events that granted it.',
  },
  {
    name: 'history-integrity',
    title: 'Integrity',
    path: 'history/log',
    about: 'What proves that the log is what it was, and that what is derived from it agrees.',
  },
  {
    name: 'as-of',
    title: 'The configuration as it was',
    path: 'models?as_of=140',
    about: 'Every screen of configuration at any version or time, where nothing can be changed.',
  },
  {
    name: 'viewer',
    title: 'An export, without a server',
    path: 'history/140',
    offline: true,
    about:
      'One HTML file verifies an export of the log, or a pack of evidence, in the browser of an ' +
      'auditor, and shows its changes, configurations, differences and access.',
  },
  {
    name: 'audit',
    title: 'Audit log',
    path: 'audit',
    about: 'One row for each thing that was done, filtered by the server, as it comes.',
  },
  {
    name: 'fleet',
    title: 'Fleet',
    path: 'fleet',
    about:
      'Each replica, what it serves and what it sees of backends; one that stays behind is marked.',
  },
  {
    name: 'deployment',
    title: 'Deployment',
    path: 'deployment',
    managed: true,
    about: 'Where an operator manages the process: what is wanted beside what is.',
  },
  {
    name: 'settings',
    title: 'Settings',
    path: 'settings',
    about: 'What the process was started with, and where each value comes from.',
  },
  {
    name: 'palette',
    title: 'Find anything',
    path: '',
    about: 'Ctrl K finds screens and records by name, id or prefix, and begins anything.',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Screen, action or entity' }).fill('se');
      await page.getByText('search-service-1', { exact: true }).first().waitFor();
    },
  },
];
