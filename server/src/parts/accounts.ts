import { authOptions, openAuth, openLiveSessions, type AuthService, type LiveSessions } from '@holdfast/auth'
import type { ResolvedJwtSecret } from '../config/jwt-secret.ts'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Connections of the accounts service: sign-in, sessions, administration. */
const AUTH_CONNECTIONS_MAX = 20

/** Connections that check sessions, separate from sign-in because every request waits for them. */
const SESSION_CONNECTIONS_MAX = 2

/** Connections that count rate limits for all servers of a database. */
const LIMITS_CONNECTIONS_MAX = 2

export interface Accounts {
  readonly auth: AuthService
  /** Live sessions, for services that must stop when a session ends. */
  readonly sessions: LiveSessions
}

/** Opens sign-up, sign-in and sessions. */
export async function openAccounts(
  { config, logger, clock, bornAt, opened, openPool }: PartContext,
  given: {
    readonly authUrl: string
    readonly jwtSecret: ResolvedJwtSecret
    readonly baseUrl: string
    readonly hasSample: boolean
  },
): Promise<Accounts> {
  const { authUrl, jwtSecret, baseUrl, hasSample } = given
  const pool = openPool({ url: authUrl, applicationName: 'holdfast auth', connectionsMax: AUTH_CONNECTIONS_MAX })
  // Only a database of its own has one server for sure.
  const limitsPool =
    config.databaseUrl === undefined
      ? undefined
      : openPool({ url: authUrl, applicationName: 'holdfast limits', connectionsMax: LIMITS_CONNECTIONS_MAX })
  const auth = opened.use(
    await openAuth({
      pool,
      ...(limitsPool && { limitsPool }),
      jwtSecret,
      baseUrl,
      projectName: config.projectName,
      bornAt,
      options: {
        ...optionsOf(config, authOptions),
        rateLimitLoopbackExempt: hasSample && config.rateLimitLoopbackExempt,
      },
      logger,
      clock,
    }),
  )
  const sessionPool = openPool({
    url: authUrl,
    applicationName: 'holdfast session states',
    connectionsMax: SESSION_CONNECTIONS_MAX,
  })
  const sessions = opened.use(
    await openLiveSessions({
      url: authUrl,
      pool: sessionPool,
      isThirdParty: (claims) => auth.isThirdParty(claims),
      isRevoked: (claims) => auth.isRevoked(claims),
      clock,
      logger,
    }),
  )
  return { auth, sessions }
}
