import { errorMessage, type Clock, type HoldfastError, type Logger } from '@holdfast/foundation'
import { listen, type Pool } from '@holdfast/postgres'
import { badJwt } from '../errors.ts'
import { SESSION_STATE_TRUSTED_MS, SESSION_STATE_TRUSTED_UNHEARD_MS, SESSION_WATCH_TICK_MS } from '../limits.ts'
import { isUuid } from '../store.ts'
import { INSPECTION_CLAIM } from '../tokens/claims.ts'
import { type Announcement, concerns, createSessionStates, judgeState } from './session-states.ts'

/** Channel that `0030_announce_endings.sql` notifies. */
const CHANNEL = 'holdfast_sessions'

/** Claims of a verified token. */
type Claims = Readonly<Record<string, unknown>>

/**
 * Checks whether the session of a token is still alive, because a valid token only describes the time it was issued. States are cached and
 * invalidated by notifications, so most requests need no statement.
 *
 * A token without a session (an API key, a third-party or operator token) always passes.
 */
export interface LiveSessions extends AsyncDisposable {
  /** @throws {HoldfastError} `session_not_found`, `session_expired`, `user_banned` */
  require(claims: Claims): Promise<void>
  /** Calls `onEnded` once when the session ends, the account is banned or deleted, or the token's key is revoked. Dispose to stop watching. */
  watch(claims: Claims, onEnded: (reason: HoldfastError) => void): Disposable
}

export interface LiveSessionsOptions {
  /** URL as the owner of schema `auth`, for the listening connection. */
  readonly url: string
  /** Pool as the same owner, for reading. */
  readonly pool: Pool
  /** Whether another issuer signed the token of these claims. Its session is not one of this server's. */
  readonly isThirdParty?: (claims: Claims) => boolean
  /** Whether the key that signed the token of these claims has been revoked. */
  readonly isRevoked?: (claims: Claims) => boolean
  readonly clock: Clock
  readonly logger: Logger
}

interface NamedSession {
  readonly sessionId: string
  readonly userId: string
}

interface Watcher {
  readonly claims: Claims
  /** `undefined` if the claims name no session of this server. */
  readonly named: NamedSession | undefined
  readonly onEnded: (reason: HoldfastError) => void
  isAsking: boolean
}

export async function openLiveSessions(options: LiveSessionsOptions): Promise<LiveSessions> {
  const { clock, logger, isThirdParty = () => false, isRevoked = () => false } = options
  const states = createSessionStates(options.pool, () => clock.now())
  const watchers = new Set<Watcher>()
  let isListening = false

  const oldestTrusted = (): number =>
    clock.now() - (isListening ? SESSION_STATE_TRUSTED_MS : SESSION_STATE_TRUSTED_UNHEARD_MS)

  const namedBy = (claims: Claims): NamedSession | undefined => (isThirdParty(claims) ? undefined : sessionOf(claims))

  async function judge({ sessionId, userId }: NamedSession): Promise<HoldfastError | undefined> {
    const state = states.find(sessionId, oldestTrusted()) ?? (await states.read(sessionId))
    return judgeState(state, userId, clock.now())
  }

  async function refusalOf({ claims, named }: Watcher): Promise<HoldfastError | undefined> {
    if (isRevoked(claims)) return badJwt()
    return named && judge(named)
  }

  /** Returns whether the cached state calls for a check. */
  function isDue({ claims, named }: Watcher): boolean {
    if (isRevoked(claims)) return true
    if (!named) return false
    const state = states.find(named.sessionId, oldestTrusted())
    return !state || judgeState(state, named.userId, clock.now()) !== undefined
  }

  async function look(watcher: Watcher): Promise<void> {
    if (watcher.isAsking) return
    watcher.isAsking = true
    try {
      const reason = await refusalOf(watcher)
      if (reason && watchers.delete(watcher)) watcher.onEnded(reason)
    } catch (error) {
      // Postgres is unreachable; the next tick retries.
      logger.log('debug', 'the session of a stream cannot be checked now', { error: errorMessage(error) })
    } finally {
      watcher.isAsking = false
    }
  }

  function apply(announcement: Announcement): void {
    states.forget(announcement)
    for (const watcher of watchers) {
      const { named } = watcher
      if (named && concerns(announcement, named.sessionId, named.userId)) void look(watcher)
    }
  }

  const listening = await listen({
    url: options.url,
    channels: [CHANNEL],
    applicationName: 'holdfast sessions',
    onNotify: (_channel, payload) => apply(parseAnnouncement(payload)),
    onListening() {
      isListening = true
      // Earlier notifications may have been missed.
      apply({ kind: 'all' })
    },
    onLost() {
      isListening = false
    },
    logger,
  })
  const timer = setInterval(() => {
    for (const watcher of watchers) if (isDue(watcher)) void look(watcher)
  }, SESSION_WATCH_TICK_MS)
  timer.unref()

  return {
    async require(claims) {
      const named = namedBy(claims)
      const reason = named && (await judge(named))
      if (reason) throw reason
    },
    watch(claims, onEnded) {
      const watcher: Watcher = { claims, named: namedBy(claims), onEnded, isAsking: false }
      watchers.add(watcher)
      // The session may have ended since the request was accepted.
      void look(watcher)
      return { [Symbol.dispose]: () => void watchers.delete(watcher) }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      watchers.clear()
      await listening[Symbol.asyncDispose]()
    },
  }
}

/** Returns the session named by a token; `undefined` if it is not one of this server's. */
function sessionOf(claims: Claims): NamedSession | undefined {
  const { sub, session_id: sessionId } = claims
  if (typeof sub !== 'string' || typeof sessionId !== 'string' || !isUuid(sessionId)) return undefined
  if (claims[INSPECTION_CLAIM] === true) return undefined
  return { sessionId: sessionId.toLowerCase(), userId: sub.toLowerCase() }
}

/** Unreadable payloads count as everything. */
function parseAnnouncement(payload: string): Announcement {
  const [kind, ...ids] = payload.split(' ')
  return kind === 'session' || kind === 'user' ? { kind, ids: new Set(ids) } : { kind: 'all' }
}
