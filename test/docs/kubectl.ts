// Replaces kubectl in the shell blocks of the documentation. Applied files must exist and hold objects, and a requested kind must be one of
// Kubernetes or of deploy/operator. Otherwise it exits with 1.

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

const headed = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
const kustomization = z.looseObject({ resources: z.array(z.string()) });

const ofCluster = ['pods', 'deployment', 'secret'];
const ofOperator = ['gwdeployment', 'gwdeployments', 'gwd'];
const kinds: ReadonlySet<string> = new Set([...ofCluster, ...ofOperator]);

function objectsIn(file: string): readonly string[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((document) => {
    const { kind, metadata } = headed.parse(document.toJS());
    return `${kind.toLowerCase()}/${metadata.name}`;
  });
}

function apply([how, place = '']: readonly string[]): readonly string[] {
  if (how === '-f') return objectsIn(place);
  if (how !== '-k') throw new Error(`apply ${how} is not supported here`);
  const text = readFileSync(path.join(place, 'kustomization.yaml'), 'utf8');
  const { resources } = kustomization.parse(parse(text));
  return resources.flatMap((name) => objectsIn(path.join(place, name)));
}

function named(what = ''): readonly string[] {
  const [kind = ''] = what.split('/');
  if (!kinds.has(kind)) throw new Error(`unknown kind ${kind}`);
  return [what];
}

const [flag, , ...rest] = process.argv.slice(2);
const [verb, ...given] = flag === '-n' ? rest : process.argv.slice(2);
const verbs: Readonly<Record<string, () => readonly string[]>> = {
  apply: () => apply(given),
  create: () => named(given[0]),
  get: () => named(given[0]),
  describe: () => named(given[0]),
  logs: () => named(given[0]),
};
const run = verbs[verb ?? ''];
if (run === undefined) throw new Error(`kubectl ${verb} is not supported here`);
for (const line of run()) console.log(`${line} ${verb}`);
