// Reads the CPU time of processes from /proc. It says more than elapsed time on a machine with other work.

import { readFileSync, readdirSync } from 'node:fs';

/** The value of sysconf(_SC_CLK_TCK) on Linux. */
const ticksPerSecond = 100;

type Stat = Readonly<{ parent: number; own: number; children: number }>;

/** Null when the process has ended. */
function readStat(pid: number): Stat | null {
  try {
    // The second field is a name in parentheses, which may contain spaces (proc(5)).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const at = (index: number): number => Number(fields[index]);
    return { parent: at(1), own: at(11) + at(12), children: at(13) + at(14) };
  } catch {
    return null;
  }
}

/** Seconds of CPU of one process, without its children. */
export const cpuSeconds = (pid: number): number => (readStat(pid)?.own ?? 0) / ticksPerSecond;

/** Seconds of CPU of a process and all its children, including ended ones. */
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
