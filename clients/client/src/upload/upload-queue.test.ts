import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Schema, Table, column } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { OperationVerdict, UploadOperation, UploadRequest, UploadResponse } from '@holdfast/protocol'
import { createRejectedChanges } from '../attention/rejected-changes.ts'
import { localTables } from '../schema/local-tables.ts'
import type { UploadFailure } from './classify-failure.ts'
import type { UploadOutcome } from './post-upload.ts'
import { createUploadQueue, UploadPostponed, type TokenSource, type UploadQueue } from './upload-queue.ts'

/*
 * What is pinned here: an operation that a person made is at each moment on the server, in the outbox or in needs attention; never lost, never
 * applied twice, and a refused one never blocks what does not depend on it. The database is a real one; only the network is played.
 */

const syncedTables = {
  sites: new Table({ name: column.text }, { trackMetadata: true }),
  tasks: new Table(
    { title: column.text, points: column.integer, state: column.text, site_id: column.text },
    { trackMetadata: true, trackPrevious: { columns: ['state'], onlyWhenChanged: true } },
  ),
}
const schema = new Schema({ ...syncedTables, ...localTables })
const linksOf = (table: string): ReadonlyMap<string, string> => new Map(table === 'tasks' ? [['site_id', 'sites']] : [])
const tokens: TokenSource = { token: async () => 'token', refreshedToken: async () => 'fresh' }

/** Judges as the server does: exactly once per position; titles and names of `bad` are refused; the answer may get lost. */
function playServer(): {
  rows: Map<string, Record<string, unknown>>
  applied: number[]
  faults: ('none' | 'lost_before' | 'lost_after' | 503 | 401 | 404 | 'portal')[]
  tokens: string[]
  post: (request: UploadRequest, token: string) => Promise<UploadOutcome>
} {
  const recorded = new Map<number, UploadResponse>()
  const server = {
    rows: new Map<string, Record<string, unknown>>(),
    applied: [] as number[],
    faults: [] as ('none' | 'lost_before' | 'lost_after' | 503 | 401 | 404 | 'portal')[],
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

let folder: string
let database: PowerSyncDatabase
let server: ReturnType<typeof playServer>
let nowMs: number
let queue: UploadQueue

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-client-'))
  database = new PowerSyncDatabase({
    schema,
    database: {
      dbFilename: 'device.db',
      dbLocation: folder,
      implementation: { type: 'node:sqlite' },
      readWorkerCount: 1,
    },
  })
  await database.init()
  server = playServer()
  nowMs = 0
  queue = newQueue()
})

afterEach(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

function newQueue(source: TokenSource = tokens): UploadQueue {
  return createUploadQueue({ post: server.post, tokens: source, linksOf, now: () => nowMs, random: () => 0.5 })
}

const rejected = (): ReturnType<typeof createRejectedChanges> => createRejectedChanges(database, linksOf, () => nowMs)
const waiting = async (): Promise<number> => (await database.get<{ n: number }>('select count(*) as n from ps_crud')).n

/** Calls as the SDK does, until nothing is left to send. */
async function drain(limit = 200): Promise<void> {
  for (let call = 0; call < limit; call++) {
    try {
      return await queue.upload(database)
    } catch (error) {
      if (!(error instanceof UploadPostponed)) throw error
      nowMs += 60_000 * 1.2
    }
  }
  throw new Error('the queue never got empty')
}

describe('uploading', () => {
  test('sends local transactions in order and empties the outbox', async () => {
    await database.execute(`insert into sites (id, name) values ('s1', 'works')`)
    await database.writeTransaction(async (tx) => {
      await tx.execute(`insert into tasks (id, title, site_id) values ('t1', 'a', 's1')`)
      await tx.execute(`update tasks set points = 2 where id = 't1'`)
    })
    await queue.upload(database)
    expect([...server.rows]).toEqual([
      ['sites/s1', { name: 'works' }],
      ['tasks/t1', { title: 'a', site_id: 's1', points: 2 }],
    ])
    expect(await waiting()).toBe(0)
  })

  test('keeps a refused transaction with its reason and lets the next one through', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'bad')`)
    await database.execute(`insert into tasks (id, title) values ('t2', 'good')`)
    await queue.upload(database)
    expect([...server.rows.keys()]).toEqual(['tasks/t2'])
    expect(await rejected().list()).toMatchObject([
      {
        table: 'tasks',
        recordId: 't1',
        op: 'PUT',
        operations: [{ data: { title: 'bad' } }],
        verdict: { sqlstate: '23514' },
        held: [],
      },
    ])
  })

  test('holds back what touches a refused record or links to a refused create', async () => {
    await database.execute(`insert into sites (id, name) values ('s1', 'bad')`)
    await database.execute(`insert into tasks (id, title, site_id) values ('t1', 'on it', 's1')`)
    await database.execute(`update tasks set points = 1 where id = 't1'`)
    await database.execute(`insert into tasks (id, title) values ('t2', 'free')`)
    await queue.upload(database)
    expect([...server.rows.keys()]).toEqual(['tasks/t2'])
    expect((await rejected().list())[0]?.held.map((held) => held.operations[0]?.op)).toEqual(['PUT', 'PATCH'])
  })

  test('asks again with a new token once, and then waits for the person', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'a')`)
    server.faults = [401]
    await queue.upload(database)
    expect(server.tokens).toEqual(['token', 'fresh'])
    await database.execute(`insert into tasks (id, title) values ('t2', 'a')`)
    for (let attempt = 0; attempt < 10; attempt++) {
      server.faults = [401, 401]
      nowMs += 100_000
      await expect(queue.upload(database)).rejects.toMatchObject({ reason: 'sign_in' })
    }
    expect(await waiting()).toBe(1)
    queue = newQueue({ ...tokens, token: async () => undefined })
    await expect(queue.upload(database)).rejects.toMatchObject({ reason: 'sign_in' })
  })

  test.each(['lost_before', 'lost_after', 503, 'portal'] as const)(
    'tries again without end after %s',
    async (fault) => {
      await database.execute(`insert into tasks (id, title) values ('t1', 'a')`)
      server.faults = Array.from({ length: 30 }, () => fault)
      await drain()
      expect(server.tokens).toHaveLength(31)
      expect(server.applied).toHaveLength(1)
      expect(await rejected().list()).toEqual([])
    },
  )

  test('waits between attempts, and not when the server is back', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'a')`)
    server.faults = [503, 503]
    await expect(queue.upload(database)).rejects.toBeInstanceOf(UploadPostponed)
    nowMs = 900
    await expect(queue.upload(database)).rejects.toBeInstanceOf(UploadPostponed)
    expect(server.tokens).toHaveLength(1)
    nowMs = 1_000
    await expect(queue.upload(database)).rejects.toBeInstanceOf(UploadPostponed)
    expect(server.tokens).toHaveLength(2)
    queue.wake()
    await queue.upload(database)
  })

  test('asks a person after five refusals of the request itself', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'a')`)
    server.faults = [404, 404, 404, 404, 404]
    await drain()
    expect(await rejected().list()).toMatchObject([
      { verdict: { status: 'unexpected', httpStatus: 404, code: 'PSYNC_S2002' } },
    ])
  })

  test('does not complete what it could not keep', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'bad')`)
    await database.updateSchema(new Schema(syncedTables))
    await expect(queue.upload(database)).rejects.toThrow('hf_local_attention')
    expect(await waiting()).toBe(1)
    await database.updateSchema(schema)
    await queue.upload(database)
    expect(await rejected().list()).toHaveLength(1)
  })
})

describe('deciding', () => {
  test('a retry sends the whole change with the edited values, also where the device still shows the refused ones', async () => {
    await database.execute(`insert into tasks (id, title, points) values ('t1', 'a', 1)`)
    await queue.upload(database)
    await database.execute(`update tasks set title = 'bad', points = 5 where id = 't1'`)
    await queue.upload(database)
    const [item] = await rejected().list()
    const edits = [{ table: 'tasks', recordId: 't1', values: { title: 'good' } }]
    expect(await rejected().retry(item?.id ?? '', edits)).toBe(true)
    expect(await rejected().retry(item?.id ?? '', edits)).toBe(false)
    await queue.upload(database)
    expect(server.rows.get('tasks/t1')).toEqual({ title: 'good', points: 5 })
    expect(await database.get(`select title, points from tasks where id = 't1'`)).toEqual({ title: 'good', points: 5 })
    expect(await rejected().list()).toEqual([])
  })

  test('a retry takes along what waited for it, held or still in the outbox', async () => {
    await database.execute(`insert into sites (id, name) values ('s1', 'bad')`)
    await database.execute(`insert into tasks (id, title, site_id) values ('t1', 'on it', 's1')`)
    await queue.upload(database)
    await database.execute(`update tasks set points = 9 where id = 't1'`)
    const [item] = await rejected().list()
    await rejected().retry(item?.id ?? '', [{ table: 'sites', recordId: 's1', values: { name: 'good' } }])
    await queue.upload(database)
    expect([...server.rows]).toEqual([
      ['sites/s1', { name: 'good' }],
      ['tasks/t1', { title: 'on it', site_id: 's1', points: 9 }],
    ])
  })

  test('a retry right after the device died sends the change once', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'bad')`)
    await expect(queue.upload(failingToComplete())).rejects.toThrow('died')
    const [item] = await rejected().list()
    await rejected().retry(item?.id ?? '', [{ table: 'tasks', recordId: 't1', values: { title: 'good' } }])
    expect(await waiting()).toBe(1)
    await queue.upload(database)
    expect(server.rows.get('tasks/t1')).toEqual({ title: 'good' })
  })

  test('a discard gives up what waited for it as well', async () => {
    await database.execute(`insert into sites (id, name) values ('s1', 'bad')`)
    await queue.upload(database)
    await database.execute(`insert into tasks (id, title, site_id) values ('t1', 'on it', 's1')`)
    const [item] = await rejected().list()
    expect(await rejected().discard(item?.id ?? '')).toBe(true)
    await queue.upload(database)
    expect([server.rows.size, await waiting(), (await rejected().list()).length]).toEqual([0, 0, 0])
    expect(await rejected().get(item?.id ?? '')).toMatchObject({
      state: 'discarded',
      held: [{ operations: [{ id: 't1' }] }],
    })
  })

  test('a retry of a change to a record that is gone changes nothing', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'a')`)
    await queue.upload(database)
    server.rows.clear()
    await database.execute(`update tasks set points = 5 where id = 't1'`)
    await queue.upload(database)
    await database.execute(`delete from ps_data__tasks`) // as the next checkpoint does
    const [item] = await rejected().list()
    await expect(rejected().retry(item?.id ?? '')).rejects.toMatchObject({ name: 'RecordGone', recordId: 't1' })
    expect(await rejected().list()).toMatchObject([{ verdict: { status: 'no_row' } }])
    expect(await waiting()).toBe(0)
  })
})

type Step =
  | { do: 'write'; table: 'sites' | 'tasks'; id: string; name: string; site: string | null }
  | { do: 'remove'; id: string }
  | { do: 'upload'; faults: ('none' | 'lost_before' | 'lost_after' | 503 | 'portal')[] }
  | { do: 'die_before_completing' }
  | { do: 'restart' }
  | { do: 'retry' | 'discard' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      table: fc.constantFrom('sites' as const, 'tasks' as const),
      id: fc.constantFrom('1', '2', '3'),
      name: fc.constantFrom('good', 'fine', 'bad'),
      site: fc.constantFrom(null, '1', '2'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), id: fc.constantFrom('1', '2', '3') }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('upload' as const),
      faults: fc.array(
        fc.constantFrom(
          'none' as const,
          'lost_before' as const,
          'lost_after' as const,
          503 as const,
          'portal' as const,
        ),
        { maxLength: 3 },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'restart' as const }, { do: 'die_before_completing' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('retry' as const, 'discard' as const) }) },
)

/** Operations by position that are in the outbox or undecided. */
async function unsent(): Promise<readonly number[]> {
  const queued = await database.getAll<{ id: number }>('select id from ps_crud')
  const items = await rejected().list()
  const kept = items.flatMap((item) => [...item.operations, ...item.held.flatMap((held) => held.operations)])
  return [...queued.map((row) => row.id), ...kept.map((operation) => operation.op_id)]
}

test('whatever fails in between, each operation is on the server once, or waiting, or undecided, or decided by the person', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25, size: 'max' }), async (steps) => {
      await database.disconnectAndClear()
      server = playServer()
      queue = newQueue()
      const decided = new Set<number>()
      const made = new Set<number>()
      for (const entry of steps) {
        await perform(entry, decided)
        for (const { id } of await database.getAll<{ id: number }>('select id from ps_crud')) made.add(id)
      }
      await drain()
      const places = [...server.applied, ...(await unsent()), ...decided]
      expect(places.sort((a, b) => a - b)).toEqual([...made].sort((a, b) => a - b))
    }),
    { numRuns: 120 },
  )
}, 60_000)

/** The device dies after the verdict was dealt with and before the queue entry is gone. */
function failingToComplete(): PowerSyncDatabase {
  return new Proxy(database, {
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
  })
}

async function perform(entry: Step, decided: Set<number>): Promise<void> {
  switch (entry.do) {
    case 'write': {
      const exists = await database.getOptional(`select 1 from ${entry.table} where id = ?`, [entry.id])
      if (entry.table === 'sites') {
        await database.execute(
          exists ? 'update sites set name = ? where id = ?' : 'insert into sites (name, id) values (?, ?)',
          [entry.name, entry.id],
        )
      } else {
        const statement = exists
          ? 'update tasks set title = ?, site_id = ? where id = ?'
          : 'insert into tasks (title, site_id, id) values (?, ?, ?)'
        await database.execute(statement, [entry.name, entry.site, entry.id])
      }
      return
    }
    case 'remove':
      await database.execute('delete from tasks where id = ?', [entry.id])
      return
    case 'upload':
      server.faults = entry.faults
      await queue.upload(database).catch((error: unknown) => {
        if (!(error instanceof UploadPostponed)) throw error
      })
      nowMs += 2_000
      return
    case 'die_before_completing':
      server.faults = []
      nowMs += 100_000
      await queue.upload(failingToComplete()).catch((error: Error) => expect(error.message).toBe('died'))
      queue = newQueue()
      return
    case 'restart': // what a queue remembers in memory is lost
      queue = newQueue()
      return
    case 'retry':
    case 'discard': {
      const [item] = await rejected().list()
      if (!item) return
      const edits = item.operations.map((operation) => ({
        table: operation.type,
        recordId: operation.id,
        values: { [operation.type === 'sites' ? 'name' : 'title']: 'good' },
      }))
      const done = await (entry.do === 'retry' ? rejected().retry(item.id, edits) : rejected().discard(item.id)).catch(
        () => false,
      )
      if (!done) return
      const after = await rejected().get(item.id)
      const given = [...item.operations, ...(after?.held ?? []).flatMap((held) => held.operations)]
      for (const operation of given) decided.add(operation.op_id)
    }
  }
}
