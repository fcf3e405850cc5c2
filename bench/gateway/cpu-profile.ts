// Reads a CPU profile of V8 and computes the self time of each function while the process served requests.

import { z } from 'zod';

const profileSchema = z.object({
  nodes: z.array(
    z.object({
      id: z.int(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.int() }),
    }),
  ),
  samples: z.array(z.int()),
  timeDeltas: z.array(z.int()),
});
type Profile = z.output<typeof profileSchema>;

/** `file` is relative to the project; empty for the runtime's native code and the kernel. */
export type Taken = Readonly<{ name: string; file: string; line: number; micros: number }>;

const notBusy = new Set(['(idle)', '(root)']);

/** The samples of the last `windowMs` of serving. The load ends before the process does. */
export function readProfile(
  text: string,
  { root, windowMs }: Readonly<{ root: string; windowMs: number }>,
): readonly Taken[] {
  const profile = profileSchema.parse(JSON.parse(text));
  const taken = samplesOf(profile, root);
  const end = taken.findLastIndex(({ file }) => file === 'src/gateway/proxy.ts') + 1;
  let left = windowMs * 1000;
  let start = end;
  while (start > 0 && left > 0) {
    start--;
    left -= taken[start]?.micros ?? 0;
  }
  return taken.slice(start, end).filter(({ name }) => !notBusy.has(name));
}

function samplesOf({ nodes, samples, timeDeltas }: Profile, root: string): readonly Taken[] {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  return samples.map((id, index) => {
    const frame = frames.get(id);
    return {
      name: frame === undefined || frame.functionName === '' ? '(anonymous)' : frame.functionName,
      file: (frame?.url ?? '').replace(root, '').replace(/^node_modules\//, ''),
      line: (frame?.lineNumber ?? 0) + 1,
      micros: timeDeltas[index] ?? 0,
    };
  });
}

/** Percentages of samples by the key that `keyOf` returns, largest first. A null key leaves a sample out. */
export function sharesBy(
  taken: readonly Taken[],
  keyOf: (sample: Taken) => string | null,
): readonly (readonly [string, number])[] {
  const total = taken.reduce((sum, { micros }) => sum + micros, 0);
  const found = new Map<string, number>();
  for (const sample of taken) {
    const key = keyOf(sample);
    if (key !== null) found.set(key, (found.get(key) ?? 0) + (sample.micros * 100) / total);
  }
  return [...found].toSorted(([, one], [, other]) => other - one);
}

export const isOurs = ({ file }: Taken): boolean => file.startsWith('src/');

/** The project, a package, a part of Node, or what is not JavaScript. */
export function originOf({ file, name }: Taken): string {
  if (file === '') return name.startsWith('(') ? name : 'native code and kernel';
  return /^(?:node:|(?:@[^/]+\/)?[^/]+)/.exec(file)?.[0] ?? file;
}
