import {
  createAddressPolicy,
  openSchedules,
  openWebhooks,
  schedulesOptions,
  webhooksOptions,
} from '@holdfast/functions'
import type { Cluster } from '@holdfast/postgres'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Connections that read the queue and record results of requests. */
const WEBHOOK_CONNECTIONS_MAX = 3

/** Connections that find due jobs and record their results. */
const SCHEDULE_CONNECTIONS_MAX = 2

/** Work requested by the database: sending requests, notifications, invitations and daily mails, running scheduled jobs and automations. */
export interface DatabaseCalls {
  /** Notification channels of that work. */
  readonly channels: ReadonlyMap<string, () => void>
  /** Call when the server is listening, because requests may target itself. */
  open(context: PartContext, given: DatabaseCallsOptions): void
}

export interface DatabaseCallsOptions {
  /** Connects as Holdfast's own user. */
  readonly url: string
  readonly cluster: Cluster
  readonly baseUrl: string
  readonly port: number
  /** Sends notifications, if enabled. */
  readonly push: Wakeable | undefined
  /** Writes invitation mails. */
  readonly invitations: Wakeable
  /** Writes daily mails, if enabled. */
  readonly digests: Wakeable | undefined
  /** Runs automations. */
  readonly automations: Wakeable & { readonly calls: Wakeable }
}

interface Wakeable {
  wake(): void
}

export function createDatabaseCalls(): DatabaseCalls {
  const workers = new Map<string, Wakeable | undefined>()
  // Daily mails are polled; their channel starts a poll early.
  const names = ['webhooks', 'schedules', 'push', 'invitations', 'daily_mails', 'automations', 'automation_calls']
  return {
    channels: new Map(names.map((name) => [`holdfast_${name}`, () => workers.get(name)?.wake()])),
    open(context, given) {
      workers
        .set('webhooks', startWebhooks(context, given))
        .set('schedules', startSchedules(context, given))
        .set('push', given.push)
        .set('invitations', given.invitations)
        .set('daily_mails', given.digests)
        .set('automations', given.automations)
        .set('automation_calls', given.automations.calls)
      for (const worker of workers.values()) worker?.wake()
    },
  }
}

/** Sends requests from the database. If disabled, only bounds the queue. */
function startWebhooks({ config, logger, opened, openPool }: PartContext, given: DatabaseCallsOptions): Wakeable {
  const options = optionsOf(config, webhooksOptions)
  const addressPolicy = createAddressPolicy({
    baseUrl: given.baseUrl,
    listening: { host: config.host, port: given.port, isTls: config.tlsCertFile !== undefined },
    allow: options.webhooksAllow,
  })
  const pool = openPool({
    url: given.url,
    applicationName: 'holdfast webhooks',
    connectionsMax: WEBHOOK_CONNECTIONS_MAX,
  })
  return opened.use(openWebhooks({ pool, addressPolicy, options, logger }))
}

/** Runs the jobs of `cron.job`, unless disabled. */
function startSchedules(
  { config, logger, opened, openPool }: PartContext,
  { url, cluster }: DatabaseCallsOptions,
): Wakeable | undefined {
  const options = optionsOf(config, schedulesOptions)
  if (!options.schedulesEnabled) return undefined
  const pool = openPool({
    url,
    applicationName: 'holdfast schedules',
    connectionsMax: SCHEDULE_CONNECTIONS_MAX,
  })
  // Jobs log in as the project's role, so that they cannot regain more rights.
  return opened.use(openSchedules({ pool, userUrl: cluster.adminUrl, options, logger }))
}
