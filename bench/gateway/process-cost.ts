// Reads the processor time and memory of a process, with all its threads, from the kernel.

import { readdirSync, readFileSync } from 'node:fs';

/** The scheduler counts nanoseconds. The times in `/proc/PID/stat` are samples of 10 ms. */
export function cpuMs(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [running] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ');
    nanoseconds += Number(running);
  }
  return nanoseconds / 1e6;
}

export function rssMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}
