// Formats a plan of declarative files for the command line.

type Resource = Readonly<{ list: string; name: string }>;

type Change = Resource &
  Readonly<{
    action: 'create' | 'update' | 'delete';
    id: number | null;
    fields: readonly Readonly<{ field: string; before?: unknown; after?: unknown }>[];
    drift: Readonly<{ position: number; type: string; at: string; actor: string | null }> | null;
  }>;

export type ShownPlan = Readonly<{
  plan: string;
  adopted: number;
  changes: readonly Change[];
  unmanaged: readonly Resource[];
  warnings: readonly string[];
}>;

const signs = { create: '+', update: '~', delete: '-' } as const;

export function planText(
  { plan, adopted, changes, unmanaged, warnings }: ShownPlan,
  { isApplied = false }: Readonly<{ isApplied?: boolean }> = {},
): string {
  const count = (action: Change['action']): number =>
    changes.filter((change) => change.action === action).length;
  const [created, updated, deleted] = [count('create'), count('update'), count('delete')];
  const counts = isApplied
    ? `Applied: ${created} created, ${updated} changed, ${deleted} deleted.`
    : `Plan: ${created} to create, ${updated} to change, ${deleted} to delete.`;
  const adopting = isApplied
    ? `${adopted} resources are managed by these files from now on.`
    : `${adopted} resources match the files and are not managed yet; apply adopts them.`;
  return [
    ...changes.flatMap(changeLines),
    changes.length === 0 ? 'No changes.' : counts,
    ...(adopted === 0 ? [] : [adopting]),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...(unmanaged.length === 0 ? [] : [`Not managed: ${listed(unmanaged)}`]),
    ...(changes.length === 0 || isApplied ? [] : [`To apply exactly this plan: --plan ${plan}`]),
  ].join('\n');
}

function changeLines({ action, list, name, id, fields, drift }: Change): readonly string[] {
  const number = id === null || list === 'settings' ? '' : ` (id ${id})`;
  const { actor, at, position, type } = drift ?? {};
  return [
    `${signs[action]} ${list} ${JSON.stringify(name)}${number}`,
    ...fields.map(({ field, before, after }) =>
      action === 'create'
        ? `    ${field}: ${valueText(after)}`
        : `    ${field}: ${valueText(before)} -> ${valueText(after)}`,
    ),
    ...(drift === null
      ? []
      : [
          `    changed since the last apply by ${actor ?? 'gw'} at ${at}, event ${position} (${type})`,
        ]),
  ];
}

/** Omits empty members. */
const valueText = (value: unknown): string =>
  JSON.stringify(value ?? null, (key, member: unknown) =>
    key === '' || isSet(member) ? member : undefined,
  );

const isSet = (member: unknown): boolean => member !== null && JSON.stringify(member) !== '[]';

const listedMax = 10;

function listed(resources: readonly Resource[]): string {
  const names = resources.slice(0, listedMax).map(({ list, name }) => `${list} ${name}`);
  const more = resources.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
