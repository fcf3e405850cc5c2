// Describes the effect of a proposal on recorded requests.

type Destination = Readonly<{
  denied: Readonly<{ status: number; message: string }> | null;
  route: string | null;
  to: Readonly<{ kind: 'model' | 'pool'; name: string }> | null;
}> | null;

export function destinationText(destination: Destination): string {
  if (destination === null) return 'unknown';
  const { denied, route, to } = destination;
  if (denied !== null) return `denied, ${denied.status}`;
  const name = to === null ? 'nowhere' : to.kind === 'pool' ? `pool ${to.name}` : to.name;
  return route === null || route === 'concrete' ? name : `${name} (${route})`;
}

type Written = Readonly<{
  /** Positive values get a plus sign. */
  signed?: boolean;
  /** All decimals when absent. */
  digits?: number;
}>;

/** At least two decimals. */
export function amountText(
  decimal: string,
  { signed = false, digits = Infinity }: Written = {},
): string {
  const negative = decimal.startsWith('-');
  const [whole = '0', all = ''] = (negative ? decimal.slice(1) : decimal).split('.');
  const kept = all.slice(0, digits);
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  const isNothing = /^0*$/.test(`${whole}${all}`);
  if (!isNothing && /^0*$/.test(`${whole}${kept}`)) {
    return `${negative ? '> -' : '< '}$0.${'1'.padStart(digits, '0')}`;
  }
  const sign = negative ? '-' : signed && !isNothing ? '+' : '';
  return `${sign}$${grouped}.${kept.replace(/0+$/, '').padEnd(2, '0')}`;
}

type Counts = Readonly<{
  requests: number;
  same: number;
  newly_denied: number;
  newly_allowed: number;
  rerouted: number;
}>;

export const changedCount = ({ newly_denied, newly_allowed, rerouted }: Counts): number =>
  newly_denied + newly_allowed + rerouted;

type Summary = Readonly<{
  recorded: number;
  compared: number;
  not_reached: number;
  without_version: number;
  has_older: boolean;
  total: Counts & Readonly<{ not_told: number; unpriced: number }>;
}>;

/** Counts requests that would have been rerouted, denied or allowed. */
export function verdictText({ total }: Summary): string {
  if (total.requests === 0) return 'No request in this range could be compared';
  const parts = [
    [total.rerouted, 'been rerouted'],
    [total.newly_denied, 'been denied'],
    [total.newly_allowed, 'been allowed'],
  ] as const;
  const [first, ...more] = parts.filter(([count]) => count > 0);
  const all = `${total.requests} ${total.requests === 1 ? 'request' : 'requests'}`;
  if (first === undefined) return `None of ${all} would have been rerouted, denied or allowed`;
  const others = more.map(([count, words]) => `, ${count} ${words}`).join('');
  return `Of ${all}, ${first[0]} would have ${first[1]}${others}`;
}

/** Sentences about requests that the numbers exclude. */
export function gapsOf(summary: Summary): readonly string[] {
  const { recorded, compared, not_reached, without_version, has_older, total } = summary;
  return [
    ...(compared < recorded ? [`${compared} of ${recorded} requests were compared.`] : []),
    ...(has_older ? ['Older requests in this range were not compared.'] : []),
    ...(not_reached > 0 ? [`${not_reached} could not be compared in time.`] : []),
    ...(without_version > 0
      ? [`${without_version} have no record of the version that served them.`]
      : []),
    ...(total.not_told > 0
      ? [`${total.not_told} lack the recorded values that the rules need.`]
      : []),
    ...(total.unpriced > 0
      ? [`${total.unpriced} without a price are excluded from the cost.`]
      : []),
  ];
}
