// The list of screens with their addresses, titles and shortcuts. Screens whose file is not in the build are left out.

import { nouns, rankedNouns } from '../events/nouns.ts';
import { extensions } from './extension.ts';
import type { Screen } from './extension.ts';

const groups = ['Now', 'Routing', 'Tools', 'Access', 'Evidence', 'System'] as const;

const core: readonly Screen[] = [
  ...rankedNouns.flatMap((noun) => {
    const { nav, screen } = nouns[noun];
    return nav === null ? [] : Object.assign({ name: screen.name, hasPast: true as const }, nav);
  }),
  { name: 'overview', title: 'Overview', icon: 'layout-dashboard', group: 'Now', key: 'o' },
  { name: 'metrics', title: 'Metrics', icon: 'activity', group: 'Now', key: 'm' },
  { name: 'usage', title: 'Usage and spend', icon: 'receipt-text', group: 'Now', key: 'u' },
  {
    name: 'routing',
    title: 'Routing map',
    icon: 'workflow',
    group: 'Routing',
    key: 'b',
    hasPast: true,
  },
  {
    name: 'limits',
    title: 'Limits and budgets',
    icon: 'gauge',
    group: 'Access',
    key: 'l',
    hasPast: true,
  },
  { name: 'history', title: 'History', icon: 'history', group: 'Evidence', key: 'h' },
  { name: 'audit', title: 'Audit log', icon: 'scroll-text', group: 'Evidence', key: 't' },
  { name: 'fleet', title: 'Fleet', icon: 'server', group: 'System', key: 'e' },
  {
    name: 'deployment',
    title: 'Deployment',
    icon: 'rocket',
    group: 'System',
    key: 'y',
    managed: true,
  },
  { name: 'settings', title: 'Settings', icon: 'settings', group: 'System', key: 's' },
];

/** By name. */
const files = new Map(
  Object.entries(import.meta.glob(['./screens/*.ts', '../extensions/*/ui/screens/*.ts'])).map(
    ([path, load]) => [path.replace(/^.*\/|\.ts$/g, ''), load] as const,
  ),
);

/** In each group the screens of extensions come after those of the core. */
const all = [...core, ...extensions.flatMap(({ screens = [] }) => screens)];

export const screens: readonly Screen[] = groups
  .flatMap((group) => all.filter((screen) => screen.group === group))
  .filter(({ name }) => files.has(name));

export const screensFor = (may: (permission: string) => boolean): readonly Screen[] =>
  screens.filter(({ permission }) => permission === undefined || may(permission));

export const screenNamed = (name: string): Screen | undefined =>
  screens.find((screen) => screen.name === name);

export async function loadScreen({ name }: Screen): Promise<void> {
  await files.get(name)?.();
}
