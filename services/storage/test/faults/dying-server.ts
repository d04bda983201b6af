/** Storage in a child process that exits at a chosen step: before a file operation, or before or after a commit. Can also simulate a full disk. */
import fs, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { silentLogger, systemClock, type OptionDeclaration } from '@holdfast/foundation'
import { createHttpServer } from '@holdfast/http'
import { createPool, sharePool, type Connections, type PoolShare } from '@holdfast/postgres'

/** Start options, JSON in the first argument. */
export interface DyingServerOptions {
  readonly url: string
  readonly requestUrl: string
  readonly readerUrl: string
  readonly folder: string
}

/** Messages from the parent. */
export type Order = { readonly dieAt: number } | { readonly tell: 'steps' } | { readonly isFull: boolean }

/** Messages to the parent. */
export type News = { readonly port: number } | { readonly steps: readonly string[] } | { readonly done: true }

const options = JSON.parse(process.argv[2] ?? '{}') as DyingServerOptions
let steps: string[] | undefined
let dieAt = Number.POSITIVE_INFINITY
let isFull = false
const tell = (news: News): void => void process.send?.(news)

process.on('disconnect', () => process.exit(0)) // the test has ended
process.on('message', (order: Order) => {
  if ('tell' in order) return tell({ steps: steps ?? [] })
  if ('isFull' in order) isFull = order.isFull
  else [steps, dieAt] = [[], order.dieAt]
  tell({ done: true })
})

function step(name: string): void {
  if (!steps) return
  steps.push(name)
  if (steps.length === dieAt) process.kill(process.pid, 'SIGKILL')
}

const patched = fs as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>
for (const name of ['open', 'mkdir', 'rename', 'link', 'unlink', 'utimes', 'copyFile']) {
  const real = patched[name]
  patched[name] = async (...values) => {
    step(name)
    return real?.(...values)
  }
}
syncBuiltinESMExports()
{
  await using probe = await fs.open(process.execPath, 'r')
  const handles = Object.getPrototypeOf(probe) as Record<
    'sync' | 'write' | 'writev',
    (...values: unknown[]) => Promise<unknown>
  >
  for (const name of ['sync', 'write', 'writev'] as const) {
    const real = handles[name]
    handles[name] = async function (this: FileHandle, ...values) {
      step(name)
      if (isFull && name !== 'sync') throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      return real.apply(this, values)
    }
  }
}

/** Adds a step before and after each commit. */
function watched(connections: Connections): Connections {
  return {
    ...connections,
    // One-round-trip transactions.
    async withClient(body) {
      step('commit')
      const result = await connections.withClient(body)
      step('committed')
      return result
    },
    async transaction(body) {
      const result = await connections.transaction(async (tx) => {
        const inner = await body(tx)
        step('commit')
        return inner
      })
      step('committed')
      return result
    },
  }
}

const { openStorage, storageOptions } = await import('../../src/index.ts')
const open = (url: string, connectionsMax: number, resetAfterTransaction = false): ReturnType<typeof createPool> =>
  createPool({ url, applicationName: 'dying storage', connectionsMax, resetAfterTransaction })
const shared = sharePool(open(options.requestUrl, 4, true), {
  connectionsMax: 4,
  shares: { storage: { reserved: 1, max: 4 } },
}).share('storage')
const share: PoolShare = { ...shared, for: (whose) => watched(shared.for(whose)) }
const defaults = Object.fromEntries(
  Object.entries<OptionDeclaration>(storageOptions).map(([name, one]) => [name, one.default]),
)
const storage = await openStorage({
  share,
  pool: open(options.url, 1),
  readerPool: open(options.readerUrl, 1),
  folder: options.folder,
  jwtSecret: 'a secret of at least thirty-two characters',
  options: defaults as unknown as Parameters<typeof openStorage>[0]['options'],
  apiKeys: [],
  verifyCaller: () => Promise.reject(new Error('no caller has a token here')),
  logger: silentLogger,
  clock: systemClock,
})
const app = createHttpServer({ logger: silentLogger })
await app.register(async (scope) => {
  scope.addHook('onRequest', async (request) => {
    const claims = { role: 'service_role' }
    request.caller = { role: 'service_role', claims, userId: undefined, expiresAtS: undefined }
  })
  await scope.register(storage.routes)
})
await app.listen({ port: 0, host: '127.0.0.1' })
const address = app.server.address()
tell({ port: typeof address === 'object' && address ? address.port : 0 })
