// What a process has cost so far, as the kernel counts it: all its threads, user and system time.

import { readFileSync } from 'node:fs';

/** Linux shows ticks of this length to programs, whatever its own are. */
const tickMs = 10;

export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name of the program may hold spaces; what follows its bracket does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

export function rssMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}
