// Finds the place of a part that only its owner shows: a rule, a target or a pool member.

type Part = Readonly<{ id: number }>;
type Owner = Part &
  Readonly<{
    rules: readonly (Part & Readonly<{ targets: readonly Part[] }>)[];
    default_targets: readonly Part[];
  }>;
type Pool = Part & Readonly<{ members: readonly Part[] }>;
type Parts = Readonly<{ frontendModels: readonly Owner[]; pools: readonly Pool[] }>;

const kinds = new Set(['rule', 'target', 'default', 'member']);

/** `/target/9` opens the rule of target 9. Null if the address names no such part; the list if the part was deleted. */
export function partPlace(
  [kind = '', id]: readonly string[],
  { frontendModels, pools }: Parts,
): readonly string[] | null {
  if (!kinds.has(kind)) return null;
  const isIt = (part: Part): boolean => String(part.id) === id;
  if (kind === 'member') {
    const pool = pools.find(({ members }) => members.some(isIt));
    return pool === undefined ? ['pools'] : ['pools', String(pool.id)];
  }
  if (kind === 'default') {
    const owner = frontendModels.find((one) => one.default_targets.some(isIt));
    return owner === undefined ? [] : [String(owner.id)];
  }
  for (const { id: owner, rules } of frontendModels) {
    const rule = rules.find((one) => (kind === 'rule' ? isIt(one) : one.targets.some(isIt)));
    if (rule !== undefined) return [String(owner), 'rules', String(rule.id)];
  }
  return [];
}
