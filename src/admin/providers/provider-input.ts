// Defines the wire format of a provider's endpoint and credential.

import {
  apiBaseField,
  authHeaderField,
  authSchemeField,
  credentialField,
} from '../../lib/fields.ts';
import { credentialKindField, protocolField } from '../http/fields.ts';

export const endpointFields = {
  api_base: apiBaseField.optional(),
  protocol: protocolField.optional(),
  auth_header: authHeaderField.optional(),
  auth_scheme: authSchemeField.nullable().optional(),
  upstream_api_key: credentialField.optional(),
  credential_kind: credentialKindField.optional(),
};
