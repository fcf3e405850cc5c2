// Computes the permissions of a principal from its roles.

export type Permission = Readonly<{ verb: string; resource: string }>;
type Role = Readonly<{ name: string; permissions: readonly Permission[] }>;

/** `via` are the roles that grant the permission. */
export type Effective = Permission & Readonly<{ via: readonly string[] }>;

export const permissionText = ({ verb, resource }: Permission): string =>
  resource === '*' ? verb : `${verb} ${resource}`;

/** Sorted, without duplicates. */
export function effectivePermissions(
  held: readonly string[],
  roles: readonly Role[],
): readonly Effective[] {
  const found = new Map<string, Effective>();
  for (const { name, permissions } of roles) {
    if (!held.includes(name)) continue;
    for (const permission of permissions) {
      const text = permissionText(permission);
      found.set(text, { ...permission, via: [...(found.get(text)?.via ?? []), name] });
    }
  }
  return [...found.keys()].toSorted().flatMap((text) => found.get(text) ?? []);
}

const shownMax = 3;

/** `every model`, `gpt, claude and 4 more`, `no model`. */
export function invokable(permissions: readonly Permission[]): string {
  const names = permissions
    .filter(({ verb }) => verb === 'model:invoke')
    .map(({ resource }) => resource.replace(/^model\//, ''));
  if (names.includes('*')) return 'every model';
  if (names.length === 0) return 'no model';
  const more = names.length - shownMax;
  return more > 0 ? `${names.slice(0, shownMax).join(', ')} and ${more} more` : names.join(', ');
}

/** The prefix is null for verbs that only support `*`. */
export const verbs = [
  { verb: 'model:invoke', label: 'Invoke a model', prefix: 'model/' },
  { verb: 'mcp:invoke', label: 'Invoke an MCP server', prefix: 'mcp/' },
  { verb: 'agent:invoke', label: 'Invoke an agent', prefix: 'agent/' },
  { verb: 'usage:read', label: 'Read usage and configuration', prefix: null },
  { verb: 'key:create', label: 'Create keys', prefix: null },
  { verb: 'key:revoke', label: 'Revoke keys', prefix: null },
  { verb: 'config:write', label: 'Edit the configuration', prefix: null },
  { verb: 'provider:register', label: 'Register providers', prefix: null },
] as const;

export const prefixOf = (verb: string): string | null =>
  verbs.find((one) => one.verb === verb)?.prefix ?? null;

const everyOf: Readonly<Record<string, string>> = {
  'model/': 'Every model',
  'mcp/': 'Every MCP server',
  'agent/': 'Every agent',
};

/** First all resources of a kind, then each by name. */
export const resourceChoices = (prefix: string, names: readonly string[]) => [
  { value: `${prefix}*`, label: everyOf[prefix] ?? `Every ${prefix}` },
  ...[...new Set(names)]
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((name) => ({ value: `${prefix}${name}`, label: name })),
];
