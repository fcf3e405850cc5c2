// Names rules. The name and the id are stable; the index in x-gw-route changes with the order.

type Named = Readonly<{ id: number; name: string | null }>;
type Listed = Readonly<{ id: number; enabled: boolean }>;

export const ruleName = ({ id, name }: Named): string => name ?? `Rule #${id}`;

/** The value of x-gw-route, which counts only enabled rules. Null for a disabled one. */
export function routeOf(rules: readonly Listed[], id: number): string | null {
  const index = rules.filter(({ enabled }) => enabled).findIndex((rule) => rule.id === id);
  return index === -1 ? null : `rule:${index}`;
}

export const copyName = (rule: Named): string => `Copy of ${ruleName(rule)}`.slice(0, 200);
