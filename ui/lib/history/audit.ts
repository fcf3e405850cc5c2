// Finds the screen that shows the target of a command in the audit log.

import { allNouns } from '../../../events/nouns.ts';

type Target = Readonly<{ screen: string; rest: readonly string[] }>;

type Place = Readonly<{
  screen: string;
  /** Comes before the id in the address of the screen. */
  part?: readonly string[];
  /** The address of the screen if the path has no id. */
  alone?: readonly string[];
}>;

/** By API resource. The screen of its owner shows a part (`partPlace`). */
const places: Readonly<Record<string, Place>> = {
  ...Object.fromEntries(allNouns.flatMap(placesOf)),
  prices: { screen: 'models' },
  usage: { screen: 'usage' },
  'fallback-model': { screen: 'frontend-models' },
  deployment: { screen: 'deployment' },
  sessions: { screen: 'settings' },
  snapshot: { screen: 'settings' },
  snapshots: { screen: 'history', part: ['versions'], alone: ['versions'] },
  'change-policy': { screen: 'history', alone: ['requests', 'policy'] },
  'change-sets': { screen: 'history' },
  configuration: { screen: 'history' },
  log: { screen: 'history', alone: ['log'] },
  vault: { screen: 'history', alone: ['log'] },
};

function placesOf({ paths, parts, screen }: (typeof allNouns)[number]): [string, Place][] {
  if (screen === null) return [];
  const below = screen.part === null ? [] : [screen.part];
  const place = (part: readonly string[]): Place => ({ screen: screen.name, part, alone: below });
  return paths
    .map((path): [string, Place] => [path, place(below)])
    .concat(
      Object.entries(parts).map(([path, part]) => [path, place(part === null ? [] : [part])]),
    );
}

/** `/admin/providers/7/…` is provider 7. Null if no screen shows the target. Roles are identified by name, all others by id. */
export function placeOfTarget(target: string): Target | null {
  const [, noun = '', below] = /^\/admin\/([\w-]+)(?:\/([^/]+))?(?:\/|$)/.exec(target) ?? [];
  const place = places[noun];
  if (place === undefined) return null;
  const { screen, part = [], alone = [] } = place;
  const isRecord = below !== undefined && (noun === 'roles' || /^\d+$/.test(below));
  return { screen, rest: isRecord ? [...part, decoded(below)] : alone };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
