import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import { expect } from 'vitest'
import { silentLogger, type Logger } from '@holdfast/foundation'
import { AUTH_ROLE, createPool, roleUrl } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { type AuthService, openAuth } from '../src/auth.ts'
import { authMigrations } from '../src/migrations.ts'
import { parseSigningSecret } from '../src/tokens/jwt-secret.ts'
import type { AuthOptions } from '../src/options/auth-options.ts'

export const PASSWORD = 'correct horse battery'

export const JWT_SECRET = 'a secret for tests, which is long enough'

/** What signing up and in answer, as far as tests read it field by field. */
export interface SessionBody {
  readonly access_token: string
  readonly refresh_token: string
  readonly user: { readonly id: string; readonly user_metadata: object }
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** Parsed JSON; an empty object when there was none. */
  readonly body: Partial<SessionBody>
}

/** A request under `/auth/v1`, perhaps with a bearer token. */
type Call = InjectOptions & { readonly token?: string | undefined }

/** One service behind a gateway that does no more than it must. */
export interface AuthApp extends AsyncDisposable {
  readonly auth: AuthService
  /** As today's auth-js sends it. */
  call(request: Call): Promise<Answer>
  /** The same without naming a version of the API. */
  callUnversioned(request: Call): Promise<Answer>
  /** Signs up a person new, or a person of that address. */
  signUp(email?: string): Promise<SessionBody>
  signIn(email: string, password: string): Promise<Answer>
  refresh(token: string | undefined): Promise<Answer>
}

/** What a server is opened with beside its options. */
interface OtherServer {
  readonly jwtSecret?: string
  readonly logger?: Logger
  /** Whether it counts rate limits in the database. */
  readonly sharesLimits?: boolean
}

/** A database with a clock of its own, on which services are opened with any options. */
export interface AuthWorld extends AsyncDisposable {
  readonly db: TestDatabase
  /** What the services take for now, in milliseconds since the epoch. */
  nowMs: number
  openApp(options?: Partial<AuthOptions>, other?: OtherServer): Promise<AuthApp>
}

export async function openAuthWorld(): Promise<AuthWorld> {
  const db = await openTestDatabase({ migrations: [authMigrations] })
  const pool = createPool({
    url: roleUrl(db.requestUrl, AUTH_ROLE),
    applicationName: 'test accounts',
    connectionsMax: 10,
  })
  const limitsPool = createPool({
    url: roleUrl(db.requestUrl, AUTH_ROLE),
    applicationName: 'test limits',
    connectionsMax: 2,
  })
  const apps: FastifyInstance[] = []
  const world: AuthWorld = {
    db,
    nowMs: Date.now(),
    openApp,
    async [Symbol.asyncDispose]() {
      await Promise.all(apps.map((app) => app.close()))
      await pool[Symbol.asyncDispose]()
      await limitsPool[Symbol.asyncDispose]()
      await db[Symbol.asyncDispose]()
    },
  }
  return world

  async function openApp(options: Partial<AuthOptions> = {}, other: OtherServer = {}): Promise<AuthApp> {
    const auth = await openAuth({
      pool,
      ...(other.sharesLimits && { limitsPool }),
      jwtSecret: parseSigningSecret(other.jwtSecret ?? JWT_SECRET),
      baseUrl: 'http://127.0.0.1:54321',
      options: { passwordHashCost: 4, ...options },
      clock: { now: () => world.nowMs },
      logger: other.logger ?? silentLogger,
    })
    const app = Fastify()
    apps.push(app)
    app.addHook('onClose', () => auth[Symbol.asyncDispose]())
    app.decorateRequest('caller', undefined)
    app.addHook('onRequest', async (request) => {
      const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
      const claims = token === undefined ? { role: 'anon' } : await auth.verifyAdminToken(token)
      request.caller = { role: claims.role ?? 'anon', claims, userId: claims.sub, expiresAtS: claims.exp }
    })
    await app.register(auth.routes, { prefix: '/auth/v1' })

    const callUnversioned = async ({ token, ...request }: Call): Promise<Answer> => {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const headers = { ...authorization, ...request.headers }
      const response = await app.inject({ ...request, url: `/auth/v1${String(request.url)}`, headers })
      const body = response.body === '' ? {} : response.json<Partial<SessionBody>>()
      return { status: response.statusCode, headers: response.headers, body }
    }
    const call = (request: Call): Promise<Answer> =>
      callUnversioned({ ...request, headers: { 'x-supabase-api-version': '2024-01-01', ...request.headers } })

    return {
      auth,
      call,
      callUnversioned,
      async signUp(email = `${crypto.randomUUID()}@example.org`) {
        const { status, body } = await call({ method: 'POST', url: '/signup', payload: { email, password: PASSWORD } })
        expect(status).toBe(200)
        return body as SessionBody
      },
      signIn: (email, password) =>
        call({ method: 'POST', url: '/token?grant_type=password', payload: { email, password } }),
      refresh: (token) =>
        call({ method: 'POST', url: '/token?grant_type=refresh_token', payload: { refresh_token: token } }),
      async [Symbol.asyncDispose]() {
        await app.close()
      },
    }
  }
}
