import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Schema, Table, column } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import {
  nextGuardBase,
  rebaseGuards,
  type GuardBase,
  type OperationVerdict,
  type UploadOperation,
  type UploadResponse,
  type UploadRow,
} from '@holdfast/protocol'
import { createRejectedChanges, type RejectedChanges } from '../attention/rejected-changes.ts'
import { localTables } from '../schema/local-tables.ts'
import type { GuardOf } from '../schema/column-rules.ts'
import type { UploadFailure } from './classify-failure.ts'
import type { SentUpload, UploadOutcome } from './post-upload.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'
import type { TokenSource } from '../session/token-source.ts'
import { UploadPostponed, UploadQueue } from './upload-queue.ts'

export const syncedTables = {
  sites: new Table({ name: column.text }, { trackMetadata: true }),
  tasks: new Table(
    { title: column.text, points: column.integer, state: column.text, site_id: column.text },
    { trackMetadata: true, trackPrevious: { columns: ['state'], onlyWhenChanged: true } },
  ),
  /** Every change requires the version it is based on; the server increments it as a trigger would. */
  orders: new Table(
    { title: column.text, state: column.text, version: column.integer },
    { trackPrevious: { columns: ['state', 'version'], onlyWhenChanged: false } },
  ),
}
export const schema = new Schema({ ...syncedTables, ...localTables })
const guardOf: GuardOf = (table, name) =>
  name === 'state' ? 'column' : table === 'orders' && name === 'version' ? 'row' : undefined
const linksOf = (table: string): ReadonlyMap<string, string> => new Map(table === 'tasks' ? [['site_id', 'sites']] : [])

export const tokens: TokenSource = { token: async () => 'token', refreshedToken: async () => 'fresh' }

export type Fault = 'none' | 'lost_before' | 'lost_after' | 503 | 401 | 404 | 413 | 'portal'

/** Simulated network and server. */
export interface PlayedServer {
  rows: Map<string, Record<string, unknown>>
  applied: number[]
  faults: Fault[]
  tokens: string[]
  /** Number of transactions per request. */
  sizes: number[]
  /** Requests with more transactions are refused. */
  transactionsMax: number
  /** Requests with more transactions are cut after five seconds. */
  lastsFor: number
  post: (upload: SentUpload, token: string) => Promise<UploadOutcome>
}

/** Judges like the server: exactly once per position; rejects titles and names of `bad`; responses may be lost. */
export function playServer(): PlayedServer {
  const recorded = new Map<number, { readonly body: string; readonly response: UploadResponse }>()
  const server: PlayedServer = {
    rows: new Map(),
    applied: [],
    faults: [],
    tokens: [],
    sizes: [],
    transactionsMax: Number.POSITIVE_INFINITY,
    lastsFor: Number.POSITIVE_INFINITY,
    async post({ transactions }, token) {
      server.tokens.push(token)
      server.sizes.push(transactions.length)
      const fault = server.faults.shift() ?? 'none'
      const status = FAULT_STATUS[fault]
      if (status) return failed(...status)
      if (transactions.length > server.lastsFor) return failed(undefined, undefined)
      if (transactions.length > server.transactionsMax) return failed(413, undefined)
      const responses: UploadResponse[] = []
      for (const transaction of transactions) {
        const body = JSON.stringify(transaction.operations)
        const before = recorded.get(transaction.position)
        if (before && before.body !== body) return failed(409, 'HF_UPLOAD_KEY_REUSED')
        const response = before ? { ...before.response, repeated: true } : judge(server, transaction)
        recorded.set(transaction.position, { body, response })
        responses.push(response)
        if (response.status === 'refused') break
      }
      return fault === 'lost_after' ? failed(undefined, undefined) : { kind: 'judged', responses }
    },
  }
  return server
}

/** Status and code of faults that prevent judging. */
const FAULT_STATUS: Readonly<Partial<Record<Fault, readonly [number | undefined, string | undefined]>>> = {
  lost_before: [undefined, undefined],
  503: [503, 'PSYNC_S2001'],
  401: [401, 'PSYNC_S2103'],
  404: [404, 'PSYNC_S2002'],
  413: [413, undefined],
  portal: [403, undefined],
}

function judge(server: PlayedServer, request: QueuedTransaction): UploadResponse {
  const draft = new Map([...server.rows].map(([key, row]) => [key, { ...row }]))
  const bases = new Map<string, GuardBase>()
  for (const operation of request.operations) {
    const key = `${operation.type}/${operation.id}`
    const verdict = apply(draft, rebaseGuards(operation, bases.get(key)))
    if (!verdict) {
      if (operation.type === 'orders' && draft.has(key))
        bases.set(key, nextGuardBase(operation, bases.get(key), guarded(draft, operation)))
      continue
    }
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
    verdicts: request.operations.map((operation) => ({
      op_id: operation.op_id,
      status: 'applied',
      ...(operation.type === 'orders' && draft.has(`orders/${operation.id}`) ? { now: guarded(draft, operation) } : {}),
    })),
  }
}

function guarded(rows: ReadonlyMap<string, Record<string, unknown>>, { id }: UploadOperation): UploadRow {
  const { state, version } = rows.get(`orders/${id}`) ?? {}
  return { state: (state ?? null) as string | null, version: version as number }
}

function apply(
  rows: Map<string, Record<string, unknown>>,
  { op_id, op, type, id, data, old }: UploadOperation,
): OperationVerdict | undefined {
  const key = `${type}/${id}`
  const row = rows.get(key)
  if (row && Object.entries(old ?? {}).some(([name, value]) => (row[name] ?? null) !== value)) {
    const current = Object.fromEntries(Object.keys(old ?? {}).map((name) => [name, row[name] as string | null]))
    return { op_id, status: 'conflict', message: 'changed', current, row: { id, ...row } as UploadRow }
  }
  if (data?.['title'] === 'bad' || data?.['name'] === 'bad') {
    return { op_id, status: 'error', sqlstate: '23514', message: 'no', constraint: 'not_bad' }
  }
  if (op !== 'PUT' && !rows.has(key)) return { op_id, status: 'no_row', message: 'gone' }
  const site = data?.['site_id']
  if (typeof site === 'string' && !rows.has(`sites/${site}`))
    return { op_id, status: 'error', sqlstate: '23503', message: 'no site' }
  if (op === 'DELETE') rows.delete(key)
  else rows.set(key, { ...(op === 'PATCH' ? rows.get(key) : {}), ...data })
  const written = rows.get(key)
  if (type === 'orders' && written) written['version'] = Number(row?.['version'] ?? 0) + 1
  return undefined
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

/** A device with a real database, its own clock and the simulated server. */
export interface PlayedDevice extends AsyncDisposable {
  readonly database: PowerSyncDatabase
  server: PlayedServer
  queue: UploadQueue
  nowMs: number
  rejected(): RejectedChanges
  /** Operations in the outbox. */
  waiting(): Promise<number>
  /** Simulates a restart, losing the queue's memory. */
  restart(source?: TokenSource): void
  /** Calls the queue as the SDK does until nothing is left to send. */
  drain(limit?: number): Promise<void>
  /** Simulates a crash after handling the verdict, before the queue entry is removed. */
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
    rejected: () => createRejectedChanges(database, { linksOf, guardOf }, () => device.nowMs),
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
          if (name === 'getCrudBatch') {
            return async (limit: number) => {
              const batch = await target.getCrudBatch(limit)
              return batch && { ...batch, complete: () => Promise.reject(new Error('died')) }
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
    return new UploadQueue({
      post(upload, token) {
        if (upload.transactions.length > device.server.lastsFor) device.nowMs += 5_000
        return device.server.post(upload, token)
      },
      tokens: source,
      rules: { linksOf, guardOf },
      now: () => device.nowMs,
      random: () => 0.5,
    })
  }
}
