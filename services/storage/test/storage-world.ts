import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { HoldfastError, silentLogger, systemClock, type Logger, type OptionDeclaration } from '@holdfast/foundation'
import { createHttpServer, type Caller } from '@holdfast/http'
import { createPool, sharePool, type PoolShare } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import {
  openStorage,
  storageMigrations,
  storageOptions,
  type StorageOptions,
  type StorageService,
} from '../src/index.ts'

export const ALICE = 'a11ce000-0000-4000-8000-000000000001'
export const BOB = 'b0b00000-0000-4000-8000-000000000002'

/** Signs users' S3 requests. */
export const PUBLIC_KEY = 'the public key'

/** Caller of a request. `nobody` has no key. */
export type Who = 'nobody' | 'anon' | 'alice' | 'bob' | 'service'

const CALLERS: Readonly<Record<Who, Caller>> = {
  nobody: { ...caller('anon', undefined), isKeyless: true },
  anon: caller('anon', undefined),
  alice: caller('authenticated', ALICE),
  bob: caller('authenticated', BOB),
  service: caller('service_role', undefined),
}

function caller(role: string, userId: string | undefined): Caller {
  return { role, claims: { role, ...(userId && { sub: userId }) }, userId, expiresAtS: undefined }
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  readonly bytes: Buffer
  /** Parsed, if JSON. */
  readonly body: unknown
}

export interface StorageWorld extends AsyncDisposable {
  readonly database: TestDatabase
  readonly share: PoolShare
  /** File folder. */
  readonly folder: string
  /** `http://127.0.0.1:<port>/storage/v1`, for requests that need a real connection. They run as `service`. */
  readonly url: string
  /** Signs S3 requests as `service_role`, or as a user if the session token is the user's name. */
  readonly s3: NonNullable<StorageService['s3']>
  request(who: Who, request: InjectOptions & { readonly url: string }): Promise<Answer>
  /** Runs SQL as superuser. */
  run(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>
}

export interface WorldOptions {
  readonly options?: Partial<StorageOptions>
  readonly logger?: Logger
  readonly stalledMs?: number
  readonly sharesUploads?: boolean
  /** Another server, whose database and files this one uses. */
  readonly beside?: StorageWorld
}

/** The service on its own database without the gateway: the `x-who` header names the caller. */
export async function openStorageWorld({
  options = {},
  logger = silentLogger,
  stalledMs,
  sharesUploads = false,
  beside,
}: WorldOptions = {}): Promise<StorageWorld> {
  const database = beside?.database ?? (await openTestDatabase({ migrations: [storageMigrations] }))
  const folder = beside?.folder ?? mkdtempSync(join(tmpdir(), 'holdfast-storage-'))
  const connectionsMax = 10
  const shared = sharePool(database.requestPool, {
    connectionsMax,
    shares: { storage: { reserved: 1, max: connectionsMax } },
  })
  const share = shared.share('storage')
  const defaults = Object.fromEntries(
    Object.entries<OptionDeclaration>(storageOptions).map(([name, one]) => [name, one.default]),
  )
  const readerPool = createPool({ url: database.readerUrl, applicationName: 'test sweep', connectionsMax: 1 })
  const storage = await openStorage({
    share,
    pool: database.pool,
    readerPool,
    folder,
    sharesUploads,
    jwtSecret: 'a secret of at least thirty-two characters',
    options: { ...defaults, ...options } as StorageOptions,
    apiKeys: [PUBLIC_KEY],
    verifyCaller: async (token) => {
      const found = CALLERS[token as Who] as Caller | undefined
      if (!found) throw new HoldfastError('bad_jwt', 401, 'this is no token')
      return found
    },
    ...(stalledMs !== undefined && { stalledMs }),
    logger,
    clock: systemClock,
  })
  const app = createHttpServer({ logger })
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => {
      request.caller = CALLERS[(request.headers['x-who'] as Who | undefined) ?? 'service']
    })
    await scope.register(storage.routes, { prefix: '/storage/v1' })
  })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    database,
    share,
    folder,
    url: `${address}/storage/v1`,
    get s3() {
      if (!storage.s3) throw new Error('S3 is not served')
      return storage.s3
    },
    async request(who, { url, headers, ...request }) {
      const answer = await app.inject({ ...request, url: `/storage/v1${url}`, headers: { ...headers, 'x-who': who } })
      const isJson = String(answer.headers['content-type']).startsWith('application/json')
      return {
        status: answer.statusCode,
        headers: answer.headers,
        text: answer.payload,
        bytes: answer.rawPayload,
        body: isJson && answer.payload !== '' ? (JSON.parse(answer.payload) as unknown) : undefined,
      }
    },
    run: (text) =>
      database.pool.withClient(async (client) => {
        const result: unknown = await client.query(text)
        return Array.isArray(result) ? [] : (result as { rows: Readonly<Record<string, unknown>>[] }).rows
      }),
    async [Symbol.asyncDispose]() {
      await app.close()
      await storage[Symbol.asyncDispose]()
      await readerPool[Symbol.asyncDispose]()
      if (beside) return
      await database[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
