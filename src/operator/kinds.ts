// Defines the kinds of objects that the operator creates, with their API paths and labels.

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
    /** The write only succeeds on this version of the object. */
    resourceVersion?: string;
  }>;
  spec?: JsonObject;
  data?: Readonly<Record<string, string>>;
}>;

export function collectionPath(kind: Kind, namespace: string): string {
  const { apiVersion, plural } = kinds[kind];
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${root}/namespaces/${namespace}/${plural}`;
}

/** The operator lists and watches its objects by this label. */
export const managedBy = { 'app.kubernetes.io/managed-by': 'gw-operator' } as const;

/** The hash of the desired object at the last write. If it changes, the next write removes fields that are no longer desired. */
export const desiredAnnotation = 'gw.io/desired';
/** The hash of the pod template. A change rolls out new pods. */
export const templateAnnotation = 'gw.io/template';

/** 16 hex digits. */
export const digestOf = (value: unknown): string =>
  hash('sha256', canonicalJson(value)).slice(0, 16);
