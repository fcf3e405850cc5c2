// Defines `gw sync-prices` (specification, "Commands of the binary").

import { readFileSync } from 'node:fs';

import { Command, Option } from 'clipanion';

import type { PriceSyncRecord } from '../../admin/providers/prices.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { priceSource, priceSourceAliases } from '../../lib/vocabulary.ts';
import type { PriceSource } from '../../lib/vocabulary.ts';
import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { givenFlags, settingOptions } from '../printing/options.ts';
import { readSettings } from '../settings/settings.ts';

export class SyncPricesCommand extends Command {
  static override paths = [['sync-prices']];
  static override usage = Command.Usage({
    description: 'update the prices of provider models from price lists',
    details: `
      Looks up each model by its upstream name, first with the prefix of its vendor, then without.
      The aggregator takes precedence over the catalogue. A source that cannot be read is reported
      and skipped. Existing prices are kept, unless --overwrite is given. Needs --database-url
      (GW_DATABASE_URL).
    `,
    examples: [
      ['Show what would change', '$0 sync-prices --dry-run'],
      [
        'Replace all prices by those of the catalogue',
        '$0 sync-prices --source catalogue --overwrite',
      ],
    ],
  });

  source = Option.String('--source', 'both', {
    description: `price list to read: ${priceSource.options.join(', ')} (default both)`,
  });
  overwrite = Option.Boolean('--overwrite', false, {
    description: 'replace existing prices',
  });
  dryRun = Option.Boolean('--dry-run', false, {
    description: 'print what would change and change nothing',
  });
  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  constructor() {
    super();
    Object.assign(
      this,
      settingOptions([
        'databaseUrl',
        'priceAggregatorUrl',
        'priceCatalogueUrl',
        'egressAllow',
        'egressDeny',
        'caBundle',
      ]),
    );
  }

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stdout, stderr } = this.context;
      const read = readSettings({ flags: givenFlags(this), env, readFile });
      if ('refusals' in read) return reportRefusals(stderr, read.refusals);
      const { databaseUrl, priceAggregatorUrl, priceCatalogueUrl } = read.settings;
      if (databaseUrl === null) {
        return reportRefusals(stderr, [refuse('invalid', 'sync-prices needs --database-url')]);
      }
      const source = readSource(this.source);
      if (typeof source !== 'string') return reportRefusals(stderr, [source]);
      const { syncPricesIn } = await import('../sync-prices.ts');
      const synced = await syncPricesIn({
        databaseUrl,
        source,
        overwrite: this.overwrite,
        dryRun: this.dryRun,
        places: { aggregator: priceAggregatorUrl, catalogue: priceCatalogueUrl },
        egress: read.settings,
      });
      if (isRefusal(synced)) return reportRefusals(stderr, [synced]);
      stdout.write(`${this.json ? JSON.stringify(synced) : toText(synced)}\n`);
      return exitCodes.ok;
    });
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');

function readSource(given: string): PriceSource | Refusal {
  const read = priceSource.safeParse(priceSourceAliases[given] ?? given);
  if (read.success) return read.data;
  const known = priceSource.options.join(', ');
  return refuse('invalid', `--source must be one of ${known}, was ${JSON.stringify(given)}`);
}

function toText(synced: PriceSyncRecord): string {
  const sources = synced.sources.flatMap(({ source, prices, nonsense, skipped, ...keys }) => [
    skipped === null
      ? `${source}: ${prices} prices${nonsense > 0 ? `, ${nonsense} implausible` : ''}`
      : `${source}: skipped, ${skipped}`,
    ...unusedText(source, keys),
  ]);
  const changes = synced.changes.flatMap((change) => {
    const was = pair(change.old_input_price_per_mtok, change.old_output_price_per_mtok);
    const is = pair(change.input_price_per_mtok, change.output_price_per_mtok);
    return [
      `${change.model}: ${is}, was ${was} (${change.source} ${change.found_as})`,
      ...change.card_changes.map(cardText),
    ];
  });
  const unmatched = synced.unmatched_models.map(({ model, upstream_model: upstream, ...entry }) => {
    if (upstream === null) return `${model}: no provider`;
    const [unused] = entry.unused_keys;
    const why = unused === undefined ? '' : `, only ${unused.key}: ${reasonOf(unused)}`;
    return `${model}: no price found for ${upstream}${why}`;
  });
  const verb = synced.dry_run ? 'would be updated' : 'updated';
  const counts = [
    `${synced.updated} ${verb}`,
    `${synced.already_priced} already priced`,
    `${synced.unmatched} unmatched`,
  ];
  return [...sources, ...changes, ...unmatched, counts.join(', ')].join('\n');
}

type SourceRecord = PriceSyncRecord['sources'][number];
type UnusedKeys = Pick<SourceRecord, 'unused_keys' | 'more_unused_keys'>;

/** Names unknown keys, and counts the others. */
function unusedText(source: string, { unused_keys: keys, more_unused_keys: more }: UnusedKeys) {
  const unknown = keys.filter(({ reason }) => reason === null);
  const known = keys.length - unknown.length + more;
  return [
    ...unknown.map(
      ({ key, models }) => `${source}: unknown key, not used: ${key} (models: ${models})`,
    ),
    ...(known === 0 ? [] : [`${source}: known keys, not used: ${known} (for reasons see --json)`]),
  ];
}

const reasonOf = ({ reason }: Readonly<{ reason: string | null }>): string =>
  reason ?? 'gw does not know this price';

type CardChange = PriceSyncRecord['changes'][number]['card_changes'][number];

function cardText({ field, per, old, new: set }: CardChange): string {
  const text = (value: CardChange['old']): string => {
    if (typeof value !== 'number') return value ?? 'not set';
    if (per === 'percent' || per === null) return `${value} %`;
    return `${money(value)} per ${per.replace('_', ' ')}`;
  };
  return `  ${field}: ${text(set)}, was ${text(old)}`;
}

type Micros = number | null;

const pair = (input: Micros, output: Micros): string =>
  input === null && output === null
    ? 'unpriced'
    : `${money(input)} in and ${money(output)} out per million`;

/** At least two decimal places. */
function money(micros: Micros): string {
  if (micros === null) return 'unpriced';
  const fraction = String(micros % 1_000_000).padStart(6, '0');
  return `${Math.trunc(micros / 1_000_000)}.${fraction.replace(/0{1,4}$/, '')}`;
}
