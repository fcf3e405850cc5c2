// What the audit log says of a command, read for people: where its target is shown.

type Target = Readonly<{ screen: string; rest: readonly string[] }>;

type Place = Readonly<{
  screen: string;
  /** Before the id, in its address. */
  part?: readonly string[];
  /** In its address where the path has no id. */
  alone?: readonly string[];
}>;

/** Which screen shows what lies below a path of the API. A part that only its owner shows is found by the screen (`partPlace`). */
const places: Readonly<Record<string, Place>> = {
  providers: { screen: 'providers' },
  'provider-models': { screen: 'models' },
  models: { screen: 'models' },
  // A backend has the id of its model.
  backends: { screen: 'models' },
  prices: { screen: 'models' },
  'frontend-models': { screen: 'frontend-models' },
  'virtual-models': { screen: 'frontend-models' },
  'fallback-model': { screen: 'frontend-models' },
  rules: { screen: 'frontend-models', part: ['rule'] },
  'rule-targets': { screen: 'frontend-models', part: ['target'] },
  'frontend-model-defaults': { screen: 'frontend-models', part: ['default'] },
  'model-pools': { screen: 'frontend-models', part: ['pools'], alone: ['pools'] },
  'model-pool-members': { screen: 'frontend-models', part: ['member'], alone: ['pools'] },
  'prompt-classes': { screen: 'prompt-classes' },
  'mcp-servers': { screen: 'mcp-servers' },
  'a2a-agents': { screen: 'agents' },
  keys: { screen: 'keys' },
  // The list of keys: no screen shows admin tokens.
  tokens: { screen: 'keys', part: ['tokens'] },
  principals: { screen: 'principals' },
  roles: { screen: 'roles' },
  deployment: { screen: 'deployment' },
  sessions: { screen: 'settings' },
  snapshot: { screen: 'settings' },
  snapshots: { screen: 'history', part: ['versions'], alone: ['versions'] },
  'change-requests': { screen: 'history', part: ['requests'], alone: ['requests'] },
  'change-policy': { screen: 'history', alone: ['requests', 'policy'] },
  'change-sets': { screen: 'history' },
  log: { screen: 'history', alone: ['log'] },
  vault: { screen: 'history', alone: ['log'] },
};

/** `/admin/providers/7/…` is provider 7; null for what no screen shows. A role is named where others have an id. */
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
