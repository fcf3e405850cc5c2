// Verifies the archive: each manifest has the digest that the log names, each segment has the SHA-256,
// rows and sums of its manifest, and each hour adds up to the sums that reports read.

import {
  hourSums,
  loggedSegments,
  pendingHours,
  rowsUpTo,
  unsummedHours,
} from '../../src/db/usage/archive/archive-checks.ts';
import type {
  HourSpan,
  HourSum,
  LoggedSegment,
} from '../../src/db/usage/archive/archive-checks.ts';
import { readHour, readArchive } from '../../src/db/usage/archive/archive-state.ts';
import { readOneState } from '../../src/db/usage/ledger/ledger-sums.ts';
import type { Archiving } from './archive-hour.ts';
import { isSame, namesOf, sha256 } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { readManifest, tallyOf } from './write-segment.ts';

export const archiveProblemKinds = [
  /** The archive does not have a file that the log names. */
  'missing_file',
  /** A file is not what the log names. */
  'changed_file',
  /** A number between segments, or an hour with usage, has no segment in the log. */
  'missing_segment',
  /** The rows of an hour do not add up to the sums of the database. */
  'changed_sums',
] as const;

export type ArchiveProblem = Readonly<{
  kind: (typeof archiveProblemKinds)[number];
  problem: string;
  /** The start of the hour. */
  hour: string;
  file?: string;
}>;

export type ArchiveCheck = Readonly<{
  hours: number;
  segments: number;
  rows: number;
  bytes: number;
  /** Hours whose rows add up to the sums of the database, or whose difference is a problem. */
  compared: number;
  /** Hours with rows or corrections that are not in the archive yet. Their sums are not compared. */
  pending: readonly string[];
  /**
   * Further hours whose sums are not compared: the sums lack rows, the archive began later, or a
   * file is damaged.
   */
  uncompared: readonly string[];
  problems: readonly ArchiveProblem[];
}>;

type Checking = Pick<Archiving, 'plane' | 'target'>;

/** Reads every segment of these hours. */
export async function verifyArchive(
  { plane, target }: Checking,
  span: HourSpan,
): Promise<ArchiveCheck> {
  const expected = await plane.reports.tx(async (tx) => {
    await readOneState(tx);
    const { first_hour: firstHour } = await readArchive(tx);
    const [logged, sums] = [await loggedSegments(tx, span), await hourSums(tx, span)];
    const [pending, unsummed] = [await pendingHours(tx, span), await unsummedHours(tx, span)];
    return { firstHour, logged, sums, pending: isoSet(pending), unsummed: isoSet(unsummed) };
  });
  const { logged, firstHour, pending } = expected;
  const problems: ArchiveProblem[] = [];
  const totals = { segments: 0, rows: 0, bytes: 0 };
  const archived = new HourTotals();
  const segments = Map.groupBy(logged, ({ hour }) => hour.toISOString());
  for (const [hour, own] of segments) {
    problems.push(...gapsIn(hour, own));
    for (const one of own) {
      const read = await checkSegment(target, one);
      if ('kind' in read) problems.push(read);
      else archived.add(read);
      totals.segments++;
      totals.rows += one.rows;
      if (!('kind' in read)) totals.bytes += read.bytes;
    }
  }
  const damaged = new Set(problems.map(({ hour }) => hour));
  const sums = Map.groupBy(expected.sums, ({ hour }) => hour.toISOString());
  const found = [...new Set([...sums.keys(), ...segments.keys()])].toSorted();
  const isComparable = (hour: string): boolean =>
    firstHour !== null &&
    hour >= firstHour.toISOString() &&
    !expected.unsummed.has(hour) &&
    !damaged.has(hour);
  const { true: comparable = [], false: uncompared = [] } = Object.groupBy(
    found.filter((hour) => !pending.has(hour)),
    (hour) => (isComparable(hour) ? 'true' : 'false'),
  );
  for (const hour of comparable) problems.push(...archived.differences(hour, sums.get(hour) ?? []));
  return {
    hours: segments.size,
    ...totals,
    compared: comparable.length,
    pending: [...pending],
    uncompared,
    problems,
  };
}

const isoSet = (hours: readonly Date[]): ReadonlySet<string> =>
  new Set(hours.map((hour) => hour.toISOString()));

/** Like `verifyArchive`, but does not compare sums, which include rows that arrived since. */
export async function verifyHour({ plane, target }: Checking, hour: Date) {
  const span = { since: hour, until: new Date(hour.getTime() + 3_600_000) };
  const held = await readHour(plane.db, hour);
  const logged = await loggedSegments(plane.reports, span);
  const problems = gapsIn(hour.toISOString(), logged);
  let archived = 0;
  for (const one of logged) {
    const read = await checkSegment(target, one);
    if ('kind' in read) problems.push(read);
    else if (one.dataset === 'usage') archived += read.rows;
  }
  // Some rows of the archive may have left the database, but none of the database may be missing.
  const rows = await rowsUpTo(plane.reports, { ...span, done: held?.done ?? -1 });
  if (rows > archived) {
    const problem = `the database has ${rows} archived rows, but the archive has ${archived}`;
    problems.push({ kind: 'changed_sums', problem, hour: hour.toISOString() });
  }
  const { segments = 0, correction_segments: correctionSegments = 0 } = held ?? {};
  if (logged.length !== segments + correctionSegments) {
    const problem = `the log names ${logged.length} segments, but the database has ${segments + correctionSegments}`;
    problems.push({ kind: 'missing_segment', problem, hour: hour.toISOString() });
  }
  return { problems, segments, correctionSegments };
}

function gapsIn(hour: string, own: readonly LoggedSegment[]): ArchiveProblem[] {
  return [...Map.groupBy(own, ({ dataset }) => dataset)].flatMap(([dataset, segments]) =>
    segments.flatMap(({ segment }, index) => {
      const wanted = index + 1;
      if (segment === wanted) return [];
      const problem = `the log has segment ${segment} of ${dataset} of ${hour}, but ${wanted} is expected`;
      return [{ kind: 'missing_segment', problem, hour } as const];
    }),
  );
}

/** The manifest of an intact segment, or what is wrong. */
export async function checkSegment(
  target: Archiving['target'],
  logged: LoggedSegment,
): Promise<Manifest | ArchiveProblem> {
  const names = namesOf(logged);
  const hour = logged.hour.toISOString();
  const missing = (file: string): ArchiveProblem => ({
    kind: 'missing_file',
    problem: `${file} is missing in the archive`,
    hour,
    file,
  });
  const changed = (file: string, what: string): ArchiveProblem => ({
    kind: 'changed_file',
    problem: `${file} was changed: ${what}`,
    hour,
    file,
  });
  const manifestFile = await target.read(names.manifest);
  if (manifestFile === null) return missing(names.manifest);
  if (sha256(manifestFile) !== logged.manifest_sha256) {
    return changed(names.manifest, 'its SHA-256 is not the one in the log');
  }
  const described = readManifest(names.manifest, manifestFile);
  const bytes = await target.read(names.segment);
  if (bytes === null) return missing(names.segment);
  if (sha256(bytes) !== described.sha256) {
    return changed(names.segment, 'its SHA-256 is not the one in its manifest');
  }
  const again = (await tallyOf(logged, bytes)).describe(logged, bytes, described.log_id);
  if (!isSame(described, again) || logged.rows !== described.rows) {
    return changed(names.segment, 'its rows do not add up to its manifest');
  }
  return described;
}

const compared = [
  'requests',
  'prompt_tokens',
  'completion_tokens',
  'cost_micros',
  'estimated_cost_micros',
  'correction_micros',
] as const;
type Compared = (typeof compared)[number];

/** The sums of the archive by hour, and by amount and currency. */
class HourTotals {
  readonly #sums = new Map<string, Map<string, bigint>>();

  add({ dataset, hour, sums }: Manifest): void {
    const held = this.#sums.get(hour) ?? new Map<string, bigint>();
    this.#sums.set(hour, held);
    for (const { currency, rows, amounts } of sums) {
      const add = (name: Compared, value: string | number | undefined): void => {
        const key = `${name} in ${currency}`;
        held.set(key, (held.get(key) ?? 0n) + BigInt(value ?? 0));
      };
      if (dataset === 'usage') {
        add('requests', rows);
        for (const name of compared.slice(1, -1)) add(name, amounts[name]);
      } else {
        add('correction_micros', amounts['delta_micros']);
        add('estimated_cost_micros', amounts['estimated_delta_micros']);
      }
    }
  }

  differences(hour: string, sums: readonly HourSum[]): ArchiveProblem[] {
    const expected = new Map(
      sums.flatMap((sum) => compared.map((name) => [`${name} in ${sum.currency}`, sum[name]])),
    );
    const archived = this.#sums.get(hour) ?? new Map<string, bigint>();
    const found = [...new Set([...expected.keys(), ...archived.keys()])].flatMap((name) => {
      const [held, wanted] = [archived.get(name) ?? 0n, expected.get(name) ?? '0'];
      return held === BigInt(wanted)
        ? []
        : [`${name}: ${held} archived, ${wanted} in the database`];
    });
    if (found.length === 0) return [];
    const problem = `the archive of ${hour} differs from the sums of the database: ${found.join('; ')}`;
    return [{ kind: 'changed_sums', problem, hour }];
  }
}
