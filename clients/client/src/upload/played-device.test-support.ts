import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Schema, Table, column } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import type { OperationVerdict, UploadOperation, UploadRequest, UploadResponse } from '@holdfast/protocol'
import { createRejectedChanges, type RejectedChanges } from '../attention/rejected-changes.ts'
import { localTables } from '../schema/local-tables.ts'
import type { UploadFailure } from './classify-failure.ts'
import type { UploadOutcome } from './post-upload.ts'
import { createUploadQueue, UploadPostponed, type TokenSource, type UploadQueue } from './upload-queue.ts'

export const syncedTables = {
  sites: new Table({ name: column.text }, { trackMetadata: true }),
  tasks: new Table(
    { title: column.text, points: column.integer, state: column.text, site_id: column.text },
    { trackMetadata: true, trackPrevious: { columns: ['state'], onlyWhenChanged: true } },
  ),
}
export const schema = new Schema({ ...syncedTables, ...localTables })
const linksOf = (table: string): ReadonlyMap<string, string> => new Map(table === 'tasks' ? [['site_id', 'sites']] : [])

export const tokens: TokenSource = { token: async () => 'token', refreshedToken: async () => 'fresh' }

export type Fault = 'none' | 'lost_before' | 'lost_after' | 503 | 401 | 404 | 'portal'

/** A network and a server that the test owns. */
export interface PlayedServer {
  rows: Map<string, Record<string, unknown>>
  applied: number[]
  faults: Fault[]
  tokens: string[]
  post: (request: UploadRequest, token: string) => Promise<UploadOutcome>
}

/** Judges as the server does: exactly once per position; titles and names of `bad` are refused; the answer may get lost. */
export function playServer(): PlayedServer {
  const recorded = new Map<number, UploadResponse>()
  const server = {
    rows: new Map<string, Record<string, unknown>>(),
    applied: [] as number[],
    faults: [] as Fault[],
    tokens: [] as string[],
    async post(request: UploadRequest, token: string): Promise<UploadOutcome> {
      server.tokens.push(token)
      const fault = server.faults.shift() ?? 'none'
      if (fault === 'lost_before') return failed(undefined, undefined)
      if (fault === 503) return failed(503, 'PSYNC_S2001')
      if (fault === 401) return failed(401, 'PSYNC_S2103')
      if (fault === 404) return failed(404, 'PSYNC_S2002')
      if (fault === 'portal') return failed(403, undefined)
      const before = recorded.get(request.position)
      const response = before ? { ...before, repeated: true } : judge(request)
      recorded.set(request.position, response)
      return fault === 'lost_after' ? failed(undefined, undefined) : { kind: 'judged', response }
    },
  }
  return server

  function judge(request: UploadRequest): UploadResponse {
    const draft = new Map([...server.rows].map(([key, row]) => [key, { ...row }]))
    for (const operation of request.operations) {
      const verdict = apply(draft, operation)
      if (!verdict) continue
      const verdicts = request.operations.map((other): OperationVerdict =>
        other === operation ? verdict : { op_id: other.op_id, status: 'not_reached' },
      )
      return { status: 'refused', repeated: false, verdicts }
    }
    server.rows = draft
    server.applied.push(...request.operations.map((operation) => operation.op_id))
    return {
      status: 'applied',
      repeated: false,
      verdicts: request.operations.map(({ op_id }) => ({ op_id, status: 'applied' })),
    }
  }

  function apply(
    rows: Map<string, Record<string, unknown>>,
    { op_id, op, type, id, data }: UploadOperation,
  ): OperationVerdict | undefined {
    const key = `${type}/${id}`
    if (data?.['title'] === 'bad' || data?.['name'] === 'bad') {
      return { op_id, status: 'error', sqlstate: '23514', message: 'no', constraint: 'not_bad' }
    }
    if (op !== 'PUT' && !rows.has(key)) return { op_id, status: 'no_row', message: 'gone' }
    const site = data?.['site_id']
    if (typeof site === 'string' && !rows.has(`sites/${site}`))
      return { op_id, status: 'error', sqlstate: '23503', message: 'no site' }
    if (op === 'DELETE') rows.delete(key)
    else rows.set(key, { ...(op === 'PATCH' ? rows.get(key) : {}), ...data })
    return undefined
  }
}

function failed(status: number | undefined, code: string | undefined): UploadOutcome {
  const failure: UploadFailure = {
    status,
    code,
    message: `fault ${status}`,
    fromServer: code !== undefined,
    retryAfterMs: undefined,
  }
  return { kind: 'failed', failure }
}

/** A device with a real database, a clock of its own and the played server. */
export interface PlayedDevice extends AsyncDisposable {
  readonly database: PowerSyncDatabase
  server: PlayedServer
  queue: UploadQueue
  nowMs: number
  rejected(): RejectedChanges
  /** Operations in the outbox. */
  waiting(): Promise<number>
  /** What a queue remembers in memory is lost. */
  restart(source?: TokenSource): void
  /** Calls as the SDK does, until nothing is left to send. */
  drain(limit?: number): Promise<void>
  /** The device dies after the verdict was dealt with and before the queue entry is gone. */
  failingToComplete(): PowerSyncDatabase
}

export async function openPlayedDevice(): Promise<PlayedDevice> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-client-'))
  const database = new PowerSyncDatabase({
    schema,
    database: {
      dbFilename: 'device.db',
      dbLocation: folder,
      implementation: { type: 'node:sqlite' },
      readWorkerCount: 1,
    },
  })
  await database.init()
  const device: PlayedDevice = {
    database,
    server: playServer(),
    queue: newQueue(),
    nowMs: 0,
    rejected: () => createRejectedChanges(database, linksOf, () => device.nowMs),
    waiting: async () => (await database.get<{ n: number }>('select count(*) as n from ps_crud')).n,
    restart: (source) => void (device.queue = newQueue(source)),
    async drain(limit = 200) {
      for (let call = 0; call < limit; call++) {
        try {
          return await device.queue.upload(database)
        } catch (error) {
          if (!(error instanceof UploadPostponed)) throw error
          device.nowMs += 60_000 * 1.2
        }
      }
      throw new Error('the queue never got empty')
    },
    failingToComplete: () =>
      new Proxy(database, {
        get(target, name) {
          if (name === 'getNextCrudTransaction') {
            return async () => {
              const transaction = await target.getNextCrudTransaction()
              return transaction && { ...transaction, complete: () => Promise.reject(new Error('died')) }
            }
          }
          const value: unknown = Reflect.get(target, name, target)
          return typeof value === 'function' ? (value.bind(target) as unknown) : value
        },
      }),
    async [Symbol.asyncDispose]() {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return device

  function newQueue(source: TokenSource = tokens): UploadQueue {
    return createUploadQueue({
      post: (request, token) => device.server.post(request, token),
      tokens: source,
      linksOf,
      now: () => device.nowMs,
      random: () => 0.5,
    })
  }
}
