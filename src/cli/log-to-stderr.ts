// The log of a serving process: to standard error, so that standard output stays free for answers.

import { createLog } from '../telemetry/log.ts';
import type { Log } from '../telemetry/log.ts';
import type { SettingValues } from './settings-table.ts';

export const logToStderr = ({ log, logFormat }: Pick<SettingValues, 'log' | 'logFormat'>): Log =>
  createLog({
    filter: log,
    format: logFormat,
    write: (line) => void process.stderr.write(line),
  });
