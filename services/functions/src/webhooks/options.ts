import type { OptionDeclarations, OptionValues } from '@holdfast/foundation'

/** Settings of database webhooks. */
export const webhooksOptions = {
  webhooksEnabled: {
    type: 'boolean',
    default: true,
    description:
      'Whether this server sends what `net.http_post` and database webhooks ask for. When no server does, it waits in the queue.',
  },
  webhooksAllow: {
    type: 'list',
    default: [],
    description:
      'What webhooks may reach beside public addresses and this server: hosts (`crm.internal`, `localhost:3000`), addresses and networks (`10.0.0.0/8`), or `*` for everything.',
  },
  webhooksAttemptsMax: {
    type: 'integer',
    default: 5,
    min: 1,
    max: 20,
    description:
      'How often a webhook is sent that nobody answers, or that is answered with 429, 502, 503 or 504. The waits between are 1 s, 5 s, 25 s and so on, up to 15 minutes.',
  },
  webhooksConnectionsMax: {
    type: 'integer',
    default: 32,
    min: 1,
    max: 256,
    description: 'Webhooks that are sent at the same time, of which one receiver has at most a quarter.',
  },
  webhooksWaitingMax: {
    type: 'integer',
    default: 100_000,
    min: 100,
    max: 10_000_000,
    description:
      'Webhooks of one table, or calls of one role, that may wait to be sent. Above it, and above 256 MiB, statements that ask for more are refused (`53000`).',
  },
  webhooksResponsesKeptHours: {
    type: 'integer',
    default: 6,
    min: 1,
    max: 8_760,
    description: 'Hours for which `net._http_response` keeps what came of webhooks.',
  },
} satisfies OptionDeclarations

export type WebhooksOptions = OptionValues<typeof webhooksOptions>
