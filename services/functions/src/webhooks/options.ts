import type { OptionDeclarations, OptionValues } from '@holdfast/foundation'

/** Settings of database webhooks. */
export const webhooksOptions = {
  webhooksEnabled: {
    type: 'boolean',
    default: true,
    description:
      'Whether this server sends requests of `net.http_post` and database webhooks. Otherwise they wait in the queue.',
  },
  webhooksAllow: {
    type: 'list',
    default: [],
    description:
      'Targets of webhooks besides public addresses and this server: hosts (`crm.internal`, `localhost:3000`), addresses and networks (`10.0.0.0/8`), or `*`.',
  },
  webhooksAttemptsMax: {
    type: 'integer',
    default: 5,
    min: 1,
    max: 20,
    description:
      'Maximum attempts for a webhook without a response, or with 429, 502, 503 or 504. Delays are 1 s, 5 s, 25 s and so on, up to 15 minutes.',
  },
  webhooksConnectionsMax: {
    type: 'integer',
    default: 32,
    min: 1,
    max: 256,
    description: 'Concurrent webhooks, of which one receiver gets at most a quarter.',
  },
  webhooksWaitingMax: {
    type: 'integer',
    default: 100_000,
    min: 100,
    max: 10_000_000,
    description:
      'Maximum waiting webhooks per table, or calls per role. Above it, and above 256 MiB, further statements are refused (`53000`).',
  },
  webhooksResponsesKeptHours: {
    type: 'integer',
    default: 6,
    min: 1,
    max: 8_760,
    description: 'Hours for which `net._http_response` keeps results.',
  },
} satisfies OptionDeclarations

export type WebhooksOptions = OptionValues<typeof webhooksOptions>
