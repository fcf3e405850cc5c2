// How MCP servers and A2A agents are written on the wire.

import { z } from 'zod';

import {
  credentialField,
  descriptionField,
  remoteNameField,
  remoteUrlField,
} from '../../lib/fields.ts';
import { endpointFields } from '../providers/provider-input.ts';

const { auth_header, auth_scheme } = endpointFields;

export const remoteCreation = {
  name: remoteNameField,
  url: remoteUrlField,
  description: descriptionField.default(null),
  auth_header,
  /** Null and the empty string send the credential raw. */
  auth_scheme,
  enabled: z.boolean().default(true),
  upstream_api_key: credentialField.optional(),
};

export const remoteChange = {
  name: remoteNameField.optional(),
  url: remoteUrlField.optional(),
  description: descriptionField.optional(),
  auth_header,
  auth_scheme,
  enabled: z.boolean().optional(),
  /** Null clears it, and so does the empty string. */
  upstream_api_key: credentialField.nullable().optional(),
  /** Says that the stored credential may be sent to another origin. */
  keep_credential: z.boolean().default(false),
};

export const remoteRecord = {
  name: z.string(),
  url: z.string(),
  description: z.string().nullable(),
  auth_header: z.string(),
  /** Null sends the credential raw. */
  auth_scheme: z.string().nullable(),
  enabled: z.boolean(),
  has_upstream_api_key: z.boolean(),
  /** The same, under the name by which other clients of these routes read it. */
  credential_set: z.boolean(),
};

export const toRemoteRecord = <Row extends Readonly<{ has_upstream_api_key: boolean }>>(
  row: Row,
) => ({ ...row, credential_set: row.has_upstream_api_key });

/** What is not given at the creation. */
export const remoteDefaults = { auth_header: 'authorization', auth_scheme: 'Bearer' };
