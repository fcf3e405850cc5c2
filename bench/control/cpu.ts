// CPU time of processes, from /proc: on a machine with other work it says more than time by the clock.

import { readFileSync, readdirSync } from 'node:fs';

/** Of Linux, by sysconf(_SC_CLK_TCK), everywhere. */
const ticksPerSecond = 100;

type Stat = Readonly<{ parent: number; own: number; children: number }>;

/** Null when it has ended. */
function readStat(pid: number): Stat | null {
  try {
    // The second field is a name in parentheses, which may hold spaces (proc(5)).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const at = (index: number): number => Number(fields[index]);
    return { parent: at(1), own: at(11) + at(12), children: at(13) + at(14) };
  } catch {
    return null;
  }
}

/** Seconds of CPU of one process, without its children. */
export const cpuSeconds = (pid: number): number => (readStat(pid)?.own ?? 0) / ticksPerSecond;

/** Seconds of CPU of a process and of all its children, those that have ended too. */
export function cpuSecondsOfFamily(parent: number): number {
  const own = readStat(parent);
  if (own === null) return 0;
  const living = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === parent)
    .reduce((sum, stat) => sum + (stat?.own ?? 0), 0);
  return (own.own + own.children + living) / ticksPerSecond;
}

/** The parent of a process. */
export const parentOf = (pid: number): number => readStat(pid)?.parent ?? 0;
