// Builds the names, labels and metadata of the objects of a managed deployment.

import { apiVersion, resourceKind } from '../kubernetes/gw-deployment.ts';
import type { DeploymentResource, SecretKey } from '../kubernetes/gw-deployment.ts';
import { desiredAnnotation, digestOf, kinds, managedBy } from './kinds.ts';
import type { Json, JsonObject, Kind, Manifest } from './kinds.ts';

export type Component = 'control' | 'proxy' | 'bootstrap';

export const gatewayPort = 4000;
export const adminPort = 4001;

export const nameOf = ({ metadata }: DeploymentResource, component: Component): string =>
  `${metadata.name}-${component}`;

/** Selects the pods of one component. Selectors are immutable, so this never changes. */
export const selectorOf = (
  { metadata }: DeploymentResource,
  component: Component,
): Record<string, string> => ({
  'app.kubernetes.io/name': 'gw',
  'app.kubernetes.io/instance': metadata.name,
  'app.kubernetes.io/component': component,
});

type Content = Readonly<{
  spec?: JsonObject;
  data?: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
}>;

/** The cluster deletes the object with the resource. */
export function manifest(
  resource: DeploymentResource,
  { kind, component }: Readonly<{ kind: Kind; component: Component }>,
  { annotations = {}, ...content }: Content,
): Manifest {
  const { name, namespace, uid } = resource.metadata;
  const labels = { ...selectorOf(resource, component), ...managedBy };
  const owner = { apiVersion, kind: resourceKind, name, uid };
  return {
    apiVersion: kinds[kind].apiVersion,
    kind,
    metadata: {
      name: nameOf(resource, component),
      namespace,
      labels,
      annotations: { ...annotations, [desiredAnnotation]: digestOf([content, annotations, owner]) },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    ...content,
  };
}

/** The kubelet reads the Secret; the operator never does. */
export const secretVariable = (name: string, from: SecretKey): Json => ({
  name,
  valueFrom: { secretKeyRef: { name: from.name, key: from.key } },
});
