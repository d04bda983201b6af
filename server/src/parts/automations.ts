import type { FastifyPluginAsync } from 'fastify'
import { createAddressPolicy, createSend } from '@holdfast/functions'
import { type Cluster, type Pool, withOwnSettings } from '@holdfast/postgres'
import { openAutomations } from '../automations/automations.ts'
import { openAutomationCalls } from '../automations/calls.ts'
import { CALL_RETRY_MS } from '../automations/limits.ts'
import { automationsOptions, limitsOf } from '../automations/options.ts'
import { setLimits } from '../automations/queue.ts'
import { tryRoutes } from '../automations/try-routes.ts'
import { slugOf } from '../gateway/app-config.ts'
import { callerReader } from '../gateway/authenticate.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'
import type { openRequestConnections } from './request-connections.ts'
import { optionsOf } from './service-options.ts'

/** Connections that read the queues and record failures and outcomes. */
const CONNECTIONS_MAX = 3

export interface AutomationsPart {
  readonly routes: FastifyPluginAsync
  /** Call on the database's notification of changes that automations wait for. */
  wake(): void
  /** Call on the database's notification of mails, webhooks and functions; they may target this server, which must listen. */
  readonly calls: { wake(): void }
}

interface Given {
  readonly cluster: Cluster
  readonly shares: ReturnType<typeof openRequestConnections>
  readonly accounts: Accounts
  readonly baseUrl: string
  readonly port: number
}

/** Opens the automations of workspaces. */
export async function openAutomationsPart(context: PartContext, given: Given): Promise<AutomationsPart> {
  const { logger, opened, openPool, config } = context
  const { auth, sessions } = given.accounts
  const { adminUrl, serverVersion } = given.cluster
  // As the project's role, because the tables are the project's.
  const pool = openPool({
    url: withOwnSettings(adminUrl, serverVersion),
    applicationName: 'holdfast automations',
    connectionsMax: CONNECTIONS_MAX,
  })
  await setLimits(pool, limitsOf(optionsOf(config, automationsOptions)))
  const claimsOf = (userId: string): ReturnType<typeof auth.claimsOfUser> => auth.claimsOfUser(userId)
  const share = given.shares.share('automations')
  const worker = opened.use(openAutomations({ pool, share, claimsOf, logger }))
  const calls = openCalls(context, given, pool)
  const readCaller = callerReader(auth.verifyToken, (claims) => sessions.require(claims))
  return {
    routes: tryRoutes({ share, readCaller, logger }),
    wake: () => worker.wake(),
    calls: { wake: () => calls.wake() },
  }
}

function openCalls(
  { config, logger, opened }: PartContext,
  { accounts: { auth }, baseUrl, port }: Given,
  pool: Pool,
): ReturnType<typeof openAutomationCalls> {
  const options = optionsOf(config, automationsOptions)
  const addresses = (allow: readonly string[]): ReturnType<typeof createAddressPolicy> =>
    createAddressPolicy({
      baseUrl,
      listening: { host: config.host, port, isTls: config.tlsCertFile !== undefined },
      allow,
      option: 'automationsAllow',
    })
  return opened.use(
    openAutomationCalls({
      pool,
      // Admins of workspaces choose the targets: this server is one like any other.
      sendOut: createSend({ ...addresses(options.automationsAllow), own: () => undefined }, 0),
      sendHome: createSend(addresses([]), 0),
      baseUrl,
      anonKey: auth.apiKeys.anon,
      tokenOf: (userId, lifetimeS) => auth.tokenOfUser(userId, lifetimeS),
      mails: {
        send: (mail) => auth.sendAutomationMail(mail),
        statesOf: (ids) => auth.mailStates(ids),
        hasMail: auth.captured === undefined,
        home: `${(config.siteUrl ?? baseUrl).replace(/\/+$/, '')}/w/${slugOf(config.projectName)}`,
      },
      attemptsMax: options.automationsAttemptsMax,
      webhookTimeoutMs: options.automationsWebhookSeconds * 1000,
      functionTimeoutMs: options.automationsFunctionSeconds * 1000,
      retryMs: CALL_RETRY_MS,
      logger,
    }),
  )
}
