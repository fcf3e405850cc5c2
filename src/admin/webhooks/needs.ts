// Declares the dependencies of the routes of webhooks.

import type { Queryable } from '@databases/pg';

import type { DeliveryTools } from '../../control/webhooks/deliveries.ts';
import type { EndpointTools } from '../../control/webhooks/endpoints.ts';

export type WebhookNeeds = EndpointTools & DeliveryTools & Readonly<{ db: Queryable }>;
