// What the audit log says of a command, read for people: where its target is shown.

type Target = Readonly<{ screen: string; rest: readonly string[] }>;

/** Which screen shows what lies below a path of the API. */
const screens: Readonly<Record<string, string>> = {
  providers: 'providers',
  'provider-models': 'models',
  models: 'models',
  'frontend-models': 'frontend-models',
  'prompt-classes': 'prompt-classes',
  'mcp-servers': 'mcp-servers',
  'a2a-agents': 'agents',
  keys: 'keys',
  principals: 'principals',
  roles: 'roles',
  deployment: 'deployment',
};

/** `/admin/providers/7/…` is provider 7; null for what no screen shows. */
export function placeOfTarget(target: string): Target | null {
  const [, noun = '', id] = /^\/admin\/([\w-]+)(?:\/(\d+))?(?:\/|$)/.exec(target) ?? [];
  const screen = screens[noun];
  if (screen === undefined) return null;
  return { screen, rest: id === undefined ? [] : [id] };
}
