// Writes the log of a serving process to standard error. Standard output is for results.

import { isRefusal } from '../../lib/refusal.ts';
import { readLogFilter } from '../../telemetry/log-filter.ts';
import { createLog } from '../../telemetry/log.ts';
import type { Log } from '../../telemetry/log.ts';
import type { SettingValues } from '../settings/settings-table.ts';

/** Keeps serving if the reader of the log has exited. */
const goOn = (): void => {};

/** Throws on a filter that the settings table refuses. */
export function logToStderr({ log, logFormat }: Pick<SettingValues, 'log' | 'logFormat'>): Log {
  const filter = readLogFilter(log);
  if (isRefusal(filter)) throw new Error(`--log ${filter.message}`);
  const { stderr } = process;
  stderr.off('error', goOn).on('error', goOn);
  return createLog({
    filter,
    format: logFormat,
    write: (line) => void stderr.write(line),
  });
}
