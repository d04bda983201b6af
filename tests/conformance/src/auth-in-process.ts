import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AuthOptions, authMigrations, openAuth, parseSigningSecret } from '@holdfast/auth'
import { silentLogger } from '@holdfast/foundation'
import { createHttpServer } from '@holdfast/http'
import {
  applyMigrations,
  AUTH_ROLE,
  createPool,
  ensureRolePasswords,
  openEmbeddedCluster,
  platformMigrations,
  roleUrl,
} from '@holdfast/postgres'
import type { AuthServer } from './auth-world.ts'

const JWT_SECRET = 'a secret for tests, which is long enough'

/**
 * The service alone, in this process: its clock is `Date.now`, so that a test that moves the time moves it for clients and server alike.
 *
 * @param input.servers - how many serve the same database; the first one is `url`
 */
export async function openAuthInProcess(
  input: { readonly options?: Partial<AuthOptions>; readonly servers?: number } = {},
): Promise<AuthServer & { readonly urls: readonly string[] }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-auth-'))
  const cluster = await openEmbeddedCluster({
    dataDir,
    port: 0,
    logger: silentLogger,
    durable: false,
    settings: { fsync: 'off', synchronous_commit: 'off' },
  })
  const authUrl = roleUrl(cluster.requestUrl, AUTH_ROLE)
  {
    await using internal = createPool({ url: cluster.internalUrl, applicationName: 'conformance', connectionsMax: 2 })
    await applyMigrations({ pool: internal, sources: [platformMigrations, authMigrations], logger: silentLogger })
    await ensureRolePasswords(internal, [authUrl])
  }
  const admin = createPool({ url: cluster.adminUrl, applicationName: 'conformance', connectionsMax: 20 })
  const pool = createPool({ url: authUrl, applicationName: 'conformance', connectionsMax: 20 })

  async function serve() {
    const app = createHttpServer({ logger: silentLogger })
    const auth = await openAuth({
      pool,
      jwtSecret: parseSigningSecret(JWT_SECRET),
      baseUrl: 'http://127.0.0.1:54321',
      clock: { now: () => Date.now() },
      options: { passwordHashCost: 4, ...input.options },
    })
    app.addHook('onRequest', async (request) => {
      const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
      const claims = await auth.verifyToken(bearer ?? String(request.headers['apikey']))
      request.caller = { role: claims.role ?? 'anon', claims, userId: claims.sub, expiresAtS: claims.exp }
    })
    await app.register(auth.routes, { prefix: '/auth/v1' })
    return { app, auth, url: await app.listen({ host: '127.0.0.1', port: 0 }) }
  }

  const first = await serve()
  const others = await Promise.all(Array.from({ length: (input.servers ?? 1) - 1 }, serve))
  const all = [first, ...others]
  return {
    url: first.url,
    urls: all.map(({ url }) => url),
    anonKey: first.auth.apiKeys.anon,
    serviceRoleKey: first.auth.apiKeys.serviceRole,
    jwtSecret: JWT_SECRET,
    admin,
    async [Symbol.asyncDispose]() {
      for (const { app, auth } of all) {
        await app.close()
        await auth[Symbol.asyncDispose]()
      }
      await pool[Symbol.asyncDispose]()
      await admin[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
