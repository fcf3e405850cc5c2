// Defines the parts of services, pods and nodes that the agent reads (kubernetes.io/docs/reference/kubernetes-api, core/v1). The API
// server omits empty fields.

import { z } from 'zod';

const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((found) => found ?? []);

const intOrText = z.union([z.int(), z.string()]);
const metadata = z.object({
  name: z.string(),
  namespace: z.string().optional(),
  annotations: z.record(z.string(), z.string()).nullish(),
});

export const service = z.object({
  metadata,
  spec: z.object({
    type: z.string().optional(),
    ports: listOf(
      z.object({
        name: z.string().optional(),
        port: z.int(),
        nodePort: z.int().optional(),
        protocol: z.string().optional(),
        appProtocol: z.string().nullish(),
      }),
    ),
  }),
  status: z
    .object({
      loadBalancer: z
        .object({
          ingress: listOf(z.object({ ip: z.string().optional(), hostname: z.string().optional() })),
        })
        .optional(),
    })
    .optional(),
});

const probe = z
  .object({ httpGet: z.object({ port: intOrText }).nullish() })
  .nullish()
  .transform((found) => found?.httpGet?.port);

export const container = z.object({
  name: z.string(),
  command: listOf(z.string()),
  args: listOf(z.string()),
  ports: listOf(
    z.object({
      containerPort: z.int(),
      hostPort: z.int().optional(),
      hostIP: z.string().optional(),
      protocol: z.string().optional(),
    }),
  ),
  readinessProbe: probe,
  livenessProbe: probe,
  startupProbe: probe,
});

export const pod = z.object({
  metadata,
  spec: z.object({
    nodeName: z.string().optional(),
    hostNetwork: z.boolean().optional(),
    containers: listOf(container),
  }),
  status: z.object({
    phase: z.string().optional(),
    conditions: listOf(z.object({ type: z.string(), status: z.string() })),
  }),
});

export const node = z.object({
  metadata,
  status: z.object({ addresses: listOf(z.object({ type: z.string(), address: z.string() })) }),
});

export type ClusterService = z.output<typeof service>;
export type ClusterContainer = z.output<typeof container>;
export type ClusterPod = z.output<typeof pod>;
export type ClusterNode = z.output<typeof node>;

export type ClusterObjects = Readonly<{
  services: readonly ClusterService[];
  pods: readonly ClusterPod[];
  nodes: readonly ClusterNode[];
}>;
