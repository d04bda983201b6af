import { createReach, Schedules, schedulesOptions, Webhooks, webhooksOptions } from '@holdfast/functions'
import type { Cluster } from '@holdfast/postgres'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Connections that read the queue and write down what came of requests. */
const WEBHOOK_CONNECTIONS_MAX = 3

/** Connections that look for what is due and write down what came of it. */
const SCHEDULE_CONNECTIONS_MAX = 2

/** What the database asks the server to do: to send requests, notifications, invitations and daily mails, and to run jobs at certain times. */
export interface DatabaseCalls {
  /** What the database notifies when there is something to do. */
  readonly channels: ReadonlyMap<string, () => void>
  /** To be called when the server listens, since requests may be for itself. */
  open(context: PartContext, given: DatabaseCallsOptions): void
}

export interface DatabaseCallsOptions {
  /** As the user that Holdfast itself is. */
  readonly url: string
  readonly cluster: Cluster
  readonly baseUrl: string
  readonly port: number
  /** What sends notifications, if this server does. */
  readonly push: { wake(): void } | undefined
  /** What writes the mails of invitations. */
  readonly invitations: { wake(): void }
  /** What writes daily mails, if this server does. */
  readonly digests: { wake(): void } | undefined
}

export function createDatabaseCalls(): DatabaseCalls {
  let webhooks: Webhooks | undefined
  let schedules: Schedules | undefined
  let push: DatabaseCallsOptions['push']
  let invitations: DatabaseCallsOptions['invitations'] | undefined
  let digests: DatabaseCallsOptions['digests']
  return {
    channels: new Map([
      ['holdfast_webhooks', () => webhooks?.wake()],
      ['holdfast_schedules', () => schedules?.wake()],
      ['holdfast_push', () => push?.wake()],
      ['holdfast_invitations', () => invitations?.wake()],
      // For whoever does not want to wait for the next regular look.
      ['holdfast_daily_mails', () => digests?.wake()],
    ]),
    open(context, given) {
      webhooks = openWebhooks(context, given)
      webhooks.wake()
      schedules = openSchedules(context, given)
      schedules?.wake()
      push = given.push
      push?.wake()
      invitations = given.invitations
      invitations.wake()
      digests = given.digests
      digests?.wake()
    },
  }
}

/** Sends what the database asks for, unless the configuration turns that off: then it only bounds what waits. */
function openWebhooks({ config, logger, opened, openPool }: PartContext, given: DatabaseCallsOptions): Webhooks {
  const options = optionsOf(config, webhooksOptions)
  const reach = createReach({
    baseUrl: given.baseUrl,
    listening: { host: config.host, port: given.port, isTls: config.tlsCertFile !== undefined },
    allow: options.webhooksAllow,
  })
  const pool = openPool({
    url: given.url,
    applicationName: 'holdfast webhooks',
    connectionsMax: WEBHOOK_CONNECTIONS_MAX,
  })
  return opened.use(new Webhooks({ pool, reach, options, logger }))
}

/** Runs the jobs of `cron.job`, unless the configuration turns that off. */
function openSchedules(
  { config, logger, opened, openPool }: PartContext,
  { url, cluster }: DatabaseCallsOptions,
): Schedules | undefined {
  const options = optionsOf(config, schedulesOptions)
  if (!options.schedulesEnabled) return undefined
  const pool = openPool({
    url,
    applicationName: 'holdfast schedules',
    connectionsMax: SCHEDULE_CONNECTIONS_MAX,
  })
  // Jobs log in as the project, so that nothing leads back to more rights.
  return opened.use(new Schedules({ pool, userUrl: cluster.adminUrl, options, logger }))
}
