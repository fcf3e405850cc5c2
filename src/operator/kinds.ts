// What the operator makes: of which kinds, under which paths of the API server, and what it says of each object.

import { hash } from 'node:crypto';

import { canonicalJson } from '../lib/canonical-json.ts';

export const kinds = {
  ConfigMap: { apiVersion: 'v1', plural: 'configmaps' },
  Service: { apiVersion: 'v1', plural: 'services' },
  Deployment: { apiVersion: 'apps/v1', plural: 'deployments' },
  Job: { apiVersion: 'batch/v1', plural: 'jobs' },
  HorizontalPodAutoscaler: { apiVersion: 'autoscaling/v2', plural: 'horizontalpodautoscalers' },
  PodDisruptionBudget: { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' },
} as const;
export type Kind = keyof typeof kinds;

/** An object of the operator's, by what makes it one. */
export type Reference = Readonly<{ kind: Kind; name: string }>;

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | Readonly<{ [name: string]: Json }>;
export type JsonObject = Readonly<{ [name: string]: Json }>;

export type Manifest = Readonly<{
  apiVersion: string;
  kind: Kind;
  metadata: Readonly<{
    name: string;
    namespace: string;
    labels: Readonly<Record<string, string>>;
    annotations: Readonly<Record<string, string>>;
    ownerReferences: readonly JsonObject[];
    /** Written only over this version of what is there. */
    resourceVersion?: string;
  }>;
  spec?: JsonObject;
  data?: Readonly<Record<string, string>>;
}>;

/** Of all objects of a kind in a namespace. */
export function collectionPath(kind: Kind, namespace: string): string {
  const { apiVersion, plural } = kinds[kind];
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${root}/namespaces/${namespace}/${plural}`;
}

/** One operator's objects, whatever becomes of them, can be watched and listed by it. */
export const managedBy = { 'app.kubernetes.io/managed-by': 'gw-operator' } as const;

/** Of what was wanted when the object was last written: what it says no more, the next write takes away. */
export const desiredAnnotation = 'gw.io/desired';
/** Of the pods: another one is a roll-out. */
export const templateAnnotation = 'gw.io/template';

/** 16 hex digits. */
export const digestOf = (value: unknown): string =>
  hash('sha256', canonicalJson(value)).slice(0, 16);
