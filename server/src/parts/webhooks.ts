import { createReach, Webhooks, webhooksOptions } from '@holdfast/functions'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** What the database notifies when there is something to send. */
export const WEBHOOKS_CHANNEL = 'holdfast_webhooks'

/** Connections that read the queue and write down what came of requests. */
const WEBHOOK_CONNECTIONS_MAX = 3

/** Sends what the database asks for, unless the configuration turns that off: then it only bounds what waits. */
export function openWebhooksPart(
  { config, logger, opened, openPool }: PartContext,
  given: { readonly url: string; readonly baseUrl: string; readonly port: number },
): Webhooks {
  const options = optionsOf(config, webhooksOptions)
  const reach = createReach({
    baseUrl: given.baseUrl,
    listening: { host: config.host, port: given.port },
    allow: options.webhooksAllow,
  })
  const pool = openPool({
    url: given.url,
    applicationName: 'holdfast webhooks',
    connectionsMax: WEBHOOK_CONNECTIONS_MAX,
  })
  return opened.use(new Webhooks({ pool, reach, options, logger }))
}
