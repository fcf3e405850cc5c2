// Defines a check of `gw doctor`, and runs checks.

import type { Database } from '../../db/pool.ts';
import { causes } from '../printing/failure.ts';
import type { Settings } from '../settings/settings.ts';

export type Status = 'ok' | 'warning' | 'failed';

/** The message of a warning or failure says what to do. */
export type Finding = Readonly<{ status: Status; message: string }>;

export type Subject = Readonly<{
  settings: Settings;
  /** Warnings that reading the settings gave. */
  warnings: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Null in role proxy. Nothing is connected yet. */
  db: Database | null;
}>;

export type Check = Readonly<{
  name: string;
  /** Nothing is printed for a check that finds nothing, because the role does not need it. */
  run: (subject: Subject) => Promise<readonly Finding[]>;
}>;

export type Checked = Finding & Readonly<{ check: string }>;

export const ok = (message: string): Finding => ({ status: 'ok', message });
export const warning = (message: string): Finding => ({ status: 'warning', message });
export const failed = (message: string): Finding => ({ status: 'failed', message });

const checkMs = 30_000;

/** A check that throws or takes too long has failed. */
export async function* runChecks(
  checks: readonly Check[],
  subject: Subject,
): AsyncGenerator<Checked> {
  for (const { name, run } of checks) {
    const timeout = Promise.withResolvers<readonly Finding[]>();
    const timer = setTimeout(
      () => timeout.resolve([failed(`no result after ${checkMs / 1000} s`)]),
      checkMs,
    );
    const findings = await Promise.race([run(subject), timeout.promise]).catch((error: unknown) => [
      failed(causes(error).join('; ')),
    ]);
    clearTimeout(timer);
    for (const finding of findings) yield { check: name, ...finding };
  }
}
