import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { HoldfastError, nextTurn, type Logger } from '@holdfast/foundation'
import { allowOrigins, explainListen, findPort, isUpgrade, limitAddresses } from '@holdfast/http'
import type { AnsweredRequest } from '../logs/render-entry.ts'
import { appConfigRoutes, type AppConfig } from './app-config.ts'
import { appFiles } from './app-files.ts'
import { CONSOLE_API } from './console/console-api.ts'
import { consoleFiles } from './console/console-files.ts'
import { docsFiles } from './docs-files.ts'
import { authenticate, isOperator, type RequireSession, type VerifyToken } from './authenticate.ts'
import { mailboxRoutes, type MailboxOptions } from './mailbox/mailbox.ts'
import { metricsRoutes, type MetricsOptions } from './metrics/metrics.ts'
import { healthRoutes, type HealthReport } from './health.ts'
import { renderSyncFailure } from './render-sync-failure.ts'
import { reportRequests } from './report-requests.ts'
import {
  authVocabulary,
  realtimeVocabulary,
  restVocabulary,
  storageVocabulary,
  syncVocabulary,
  type Vocabulary,
} from './vocabulary.ts'

/** Returns the credentials a route needs. @param path - below the service's mount point */
type KeyDemandOf = (method: string, path: string) => 'required' | 'optional' | 'none'

export interface GatewayOptions {
  readonly auth: FastifyPluginAsync
  /** Auth routes outside its own prefix, at their full paths. */
  readonly authDiscovery: FastifyPluginAsync
  readonly rest: FastifyPluginAsync
  /** `undefined` if files are not served. */
  readonly storage: { readonly routes: FastifyPluginAsync; readonly keyDemandOf: KeyDemandOf } | undefined
  /** `undefined` if channels are not served. */
  readonly realtime: FastifyPluginAsync | undefined
  /** `undefined` if edge functions are not served. */
  readonly functions: FastifyPluginAsync | undefined
  /** `undefined` if no messages are captured, or nobody may read them here. */
  readonly mailbox: Omit<MailboxOptions, 'projectName' | 'verifyToken'> | undefined
  /** Called with each answered request. */
  readonly onAnswered: (request: AnsweredRequest) => void
  readonly metrics: Pick<MetricsOptions, 'read' | 'token'>
  /** All sync routes, at their full paths. */
  readonly sync: FastifyPluginAsync
  /** Routes that need no sign-in, such as targets of mail links, at their full paths. */
  readonly withoutSignIn: readonly FastifyPluginAsync[]
  readonly verifyToken: VerifyToken
  /** Verifies tokens for account administration. */
  readonly verifyAdminToken: VerifyToken
  readonly requireSession: RequireSession
  /** Whether REST requires a live session, as sync always does. Accounts checks sessions itself. */
  readonly restRequiresSession: boolean
  readonly allowsNoKey: boolean
  /** Origins whose pages may use the APIs; empty allows any. */
  readonly corsOrigins: readonly string[]
  /** Role of REST requests that name none; empty refuses them. */
  readonly anonymousRole: () => string
  readonly isDatabaseUp: () => boolean
  readonly health: () => HealthReport
  readonly config: AppConfig
  /** Folder of the built app. */
  readonly appDirectory: string
  /** The console's API and the folder of its built app; `undefined` if it is off. */
  readonly console?: { readonly routes: FastifyPluginAsync; readonly directory: string } | undefined
  /** Folder of the built docs site; `undefined` if it is not served. */
  readonly docsDirectory?: string | undefined
  readonly logger: Logger
}

/** Path prefixes of APIs. All other paths belong to the app. */
const API_PREFIXES = [
  // The app's own `/auth/callback` is a page.
  '/auth/v1/',
  '/rest/',
  '/sync/',
  '/app/v1/',
  '/storage/',
  '/realtime/',
  '/functions/',
  '/.well-known/oauth-authorization-server/',
  `${CONSOLE_API}/`,
]
const API_PATHS = new Set(['/auth/v1', '/write-checkpoint2.json', '/health'])

/**
 * Paths that need no key: published for token verification and monitoring, opened by browsers from a mail, a provider or another app, or used by other apps
 * that authenticate with their own secrets.
 */
const OPEN_AUTH_PATHS = new Set([
  '/auth/v1/.well-known/jwks.json',
  '/auth/v1/.well-known/openid-configuration',
  '/auth/v1/.well-known/oauth-authorization-server',
  '/auth/v1/health',
  '/auth/v1/authorize',
  '/auth/v1/callback',
  '/auth/v1/verify',
  '/auth/v1/oauth/authorize',
  '/auth/v1/oauth/token',
  '/auth/v1/oauth/clients/register',
  '/auth/v1/sso/saml/metadata',
  '/auth/v1/sso/saml/acs',
])

/** Auth paths that act for a signed-in user. All others ignore an invalid token. */
const PERSONAL_AUTH_PATHS =
  /^\/auth\/v1\/(user|logout|factors|reauthenticate|admin|invite|sso|oauth\/authorizations|oauth\/userinfo)\b/

/**
 * Mounts every service at its path; the only place that maps paths to services. Services are still opening during this, because registering hundreds of routes
 * takes as long as their queries to Postgres.
 */
export async function mountGateway(app: FastifyInstance, options: GatewayOptions): Promise<void> {
  const { logger, verifyToken, requireSession, allowsNoKey } = options
  allowOrigins(app, (path) => isApi(path) && !path.startsWith(`${FUNCTIONS_PREFIX}/`), options.corsOrigins)
  limitAddresses(app)
  app.addHook('onRequest', async (request, reply) => {
    // The accounts service uses its own wording.
    const isUnknown = request.is404 && !request.url.startsWith('/auth/v1/')
    return isUnknown ? refuseUnknown(request, reply) : undefined
  })
  app.setNotFoundHandler(refuseUnknown)
  reportRequests(app, options.onAnswered)

  await app.register(async (scope) => {
    scope.addHook('onRequest', refuseWhileDown(options, authVocabulary))
    scope.addHook(
      'onRequest',
      authenticate({
        verifyToken: options.verifyAdminToken,
        vocabulary: authVocabulary,
        acceptsApiKey: true,
        allowsNoKey,
        isOpen: (request) => OPEN_AUTH_PATHS.has(pathOf(request.url)),
        ignoresBadToken: (request) => !PERSONAL_AUTH_PATHS.test(pathOf(request.url)),
      }),
    )
    await scope.register(options.auth, { prefix: '/auth/v1' })
  })
  await app.register(options.authDiscovery)
  await nextTurn()

  await app.register(async (scope) => {
    scope.addHook('onRequest', refuseWhileDown(options, restVocabulary))
    scope.addHook(
      'onRequest',
      authenticate({
        verifyToken,
        requireSession: options.restRequiresSession ? requireSession : undefined,
        vocabulary: restVocabulary,
        acceptsApiKey: true,
        allowsNoKey,
        anonymousRole: options.anonymousRole,
      }),
    )
    await scope.register(options.rest, { prefix: '/rest/v1' })
  })

  await nextTurn()
  if (options.storage) await mountStorage(app, options, options.storage)
  if (options.realtime) await mountRealtime(app, options, options.realtime)
  if (options.functions) await app.register(options.functions, { prefix: FUNCTIONS_PREFIX })
  await nextTurn()

  await app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => renderSyncFailure(error, request, reply, logger))
    scope.addHook('onRequest', refuseWhileDown(options, syncVocabulary))
    scope.addHook(
      'onRequest',
      authenticate({
        verifyToken,
        requireSession,
        vocabulary: syncVocabulary,
        acceptsApiKey: false,
        // A WebSocket brings its token in the first frame.
        isOpen: (request) => isUpgrade(request) && pathOf(request.url) === '/sync/stream',
      }),
    )
    await scope.register(options.sync)
    // Refused before reading the body, because the path does not exist.
    const refuse = async (): Promise<never> => {
      throw new HoldfastError('PSYNC_S2002', 404, 'The path does not exist on this server')
    }
    scope.all('/sync/*', { onRequest: refuse }, refuse)
  })

  await mountPages(app, options)
}

/** Mounts health, metrics and pages. The app comes last, because it handles all other paths. */
async function mountPages(app: FastifyInstance, options: GatewayOptions): Promise<void> {
  await app.register(
    healthRoutes({
      projectName: options.config.projectName,
      report: options.health,
      isOperator: (request) => isOperator(request, options.verifyAdminToken),
    }),
  )
  await app.register(appConfigRoutes(options.config))
  for (const routes of options.withoutSignIn) await app.register(routes)
  await app.register(metricsRoutes({ ...options.metrics, verifyToken: options.verifyAdminToken }))
  if (options.mailbox) {
    const { projectName } = options.config
    await app.register(mailboxRoutes({ ...options.mailbox, projectName, verifyToken: options.verifyAdminToken }))
  }
  if (options.console) {
    await app.register(options.console.routes)
    await app.register(consoleFiles(options.console.directory))
  }
  if (options.docsDirectory !== undefined) await app.register(docsFiles(options.docsDirectory))
  await app.register(
    appFiles({ directory: options.appDirectory, isApi, mapOrigins: options.config.map?.origins ?? [] }),
  )
}

/** Functions handle CORS themselves and check tokens only if configured. */
const FUNCTIONS_PREFIX = '/functions/v1'

const STORAGE_PREFIX = '/storage/v1'

/** Mounts storage. Its error rendering also covers the hooks, because the plugin adds them within its own scope. */
async function mountStorage(
  app: FastifyInstance,
  options: GatewayOptions,
  { routes, keyDemandOf }: NonNullable<GatewayOptions['storage']>,
): Promise<void> {
  const demandOf = (request: FastifyRequest): ReturnType<KeyDemandOf> =>
    keyDemandOf(request.method, pathOf(request.url).slice(STORAGE_PREFIX.length))
  await app.register(async (scope) => {
    scope.addHook('onRequest', refuseWhileDown(options, storageVocabulary))
    scope.addHook(
      'onRequest',
      authenticate({
        verifyToken: options.verifyToken,
        requireSession: options.requireSession,
        vocabulary: storageVocabulary,
        acceptsApiKey: true,
        refusesKeysItself: true,
        allowsNoKey: options.allowsNoKey,
        isOpen: (request) => demandOf(request) === 'none',
        ignoresBadToken: (request) => demandOf(request) === 'optional',
      }),
    )
    await scope.register(routes, { prefix: STORAGE_PREFIX })
  })
}

const REALTIME_PREFIX = '/realtime/v1'

/** Mounts channels. WebSockets decide themselves whom to refuse: channels continue while Postgres is down, and each join may bring a token. */
async function mountRealtime(app: FastifyInstance, options: GatewayOptions, routes: FastifyPluginAsync): Promise<void> {
  const isWebSocket = (request: FastifyRequest): boolean => pathOf(request.url) === `${REALTIME_PREFIX}/websocket`
  await app.register(async (scope) => {
    scope.addHook(
      'onRequest',
      authenticate({
        verifyToken: options.verifyToken,
        requireSession: options.requireSession,
        vocabulary: realtimeVocabulary,
        acceptsApiKey: true,
        refusesKeysItself: true,
        allowsNoKey: options.allowsNoKey,
        isOpen: isWebSocket,
      }),
    )
    await scope.register(routes, { prefix: REALTIME_PREFIX })
  })
}

/** Sends the response of Supabase's gateway before reading the body, because the path does not exist. */
async function refuseUnknown(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(404).send({ message: 'no Route matched with those values' })
}

/** @throws {HoldfastError} `port_busy` and others of `explainListen` */
export async function listenOn(app: FastifyInstance, host: string, port: number): Promise<void> {
  // During the seconds of startup, another process or an outgoing connection may have taken the port.
  await findPort(host, port)
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw explainListen(error as NodeJS.ErrnoException, host, port)
  }
}

/** Time in ms for running requests to finish on shutdown. */
const DRAIN_MS = 2_000

/** Stops listening, lets running requests finish, and aborts them after a timeout. Can be called twice. */
export async function closeGateway(app: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
  await app.close()
  clearTimeout(cut)
}

export function isApi(path: string): boolean {
  return API_PREFIXES.some((prefix) => path.startsWith(prefix)) || API_PATHS.has(pathOf(path))
}

function pathOf(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? url : url.slice(0, mark)
}

/** Refuses requests immediately while Postgres is known to be down, instead of waiting for a connection. */
function refuseWhileDown(options: GatewayOptions, vocabulary: Vocabulary): (request: FastifyRequest) => Promise<void> {
  return async () => {
    if (!options.isDatabaseUp()) throw vocabulary.unavailable()
  }
}
