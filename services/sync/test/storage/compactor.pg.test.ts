import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Semaphore, silentLogger } from '@holdfast/foundation'
import { createPool, sql, type Pool } from '@holdfast/postgres'
import type { Lsn } from '@holdfast/replication'
import { openTestDatabase, runsOf, type TestDatabase } from '@holdfast/test-support'
import {
  createCheckpointFeed,
  type BucketListener,
  type CheckpointFeed,
  type LiveBucket,
} from '../../src/checkpoints/checkpoint-feed.ts'
import type { EncodedOps } from '../../src/encode/lines.ts'
import { docToJson } from '../../src/encode/op-doc.ts'
import { DATA_LINE_BYTES_MAX, SLICE_BYTES_MAX } from '../../src/limits.ts'
import { LogWriter } from '../../src/replicator/log/log-writer.ts'
import { createDownloads, type Downloads } from '../../src/stream/downloads.ts'
import type { LineSink } from '../../src/stream/line-sink.ts'
import { heldBucket, sendOps, type HeldBucket } from '../../src/stream/send-ops.ts'
import { syncMigrations } from '../../src/sync.ts'
import { readBuckets, readState, resetState } from '../../src/storage/bucket-storage.ts'
import { createCompactions, type Compactions } from '../../src/compaction/compactions.ts'
import { Compactor } from '../../src/compaction/compactor.ts'
import { LOG_SETTINGS } from '../../src/storage/log-settings.ts'
import { createLogReader, type LogReader } from '../../src/storage/log-reader.ts'

/*
 * Invariant (reduce equality): a device at any earlier operation of a bucket reaches the same rows and the same sum, whatever of the bucket was
 * compacted before, meanwhile or after, and wherever its connection broke.
 */

let db: TestDatabase
let pool: Pool
let reader: LogReader

beforeAll(async () => {
  db = await openTestDatabase({ migrations: [syncMigrations] })
  pool = createPool({
    url: db.url,
    applicationName: 'log',
    connectionsMax: 8,
    settings: LOG_SETTINGS,
    onError: () => undefined,
  })
  reader = createLogReader({ url: db.url, connectionsMax: 2 })
})

afterAll(async () => {
  await reader[Symbol.asyncDispose]()
  await pool[Symbol.asyncDispose]()
  await db[Symbol.asyncDispose]()
})

const GRANT = { priority: 3, subscriptions: [], isSubscribed: false, text: '' }

const LISTENER: BucketListener = { bucketChanged: () => undefined, feedReset: () => undefined }

/** A log with one bucket, and what its rows were at each checkpoint. */
interface Log {
  readonly feed: CheckpointFeed
  readonly writer: LogWriter
  readonly compactor: Compactor
  readonly bucket: LiveBucket
  readonly downloads: Downloads
  readonly compactions: Compactions
  readonly rows: Map<string, string>
  readonly states: Map<number, string>
  write(changes: readonly Change[]): Promise<void>
  compact(): Promise<void>
}

interface Change {
  readonly kind: 'put' | 'remove' | 'clear'
  readonly row: number
}

function print(rows: ReadonlyMap<string, string>): string {
  return JSON.stringify([...rows].toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

async function openLog(name: string, batchOps = 3, lastOpId = 0): Promise<Log> {
  await resetState(pool, 'none')
  await pool.execute(sql`update sync.state set last_op_id = greatest(last_op_id, ${lastOpId})`)
  const state = await readState(pool)
  if (!state) throw new Error('the state was just made')
  const feed = createCheckpointFeed()
  feed.reset(state.lastOpId, 1n as Lsn)
  const writer = new LogWriter(pool, feed, state)
  await writer.ids.resolve(pool, new Map([[name, 1_000_000]]))
  const [bucket] = feed.hold([name], LISTENER)
  if (!bucket) throw new Error('one name gives one bucket')
  await feed.fill((missing) => readBuckets(pool, missing), [name])
  const compactions = createCompactions()
  const compactor = new Compactor({
    pool,
    feed,
    compactions,
    intervalS: 0,
    opsPerSecond: 1e9,
    logger: silentLogger,
    batchOps,
    slackOps: 0,
  })
  const rows = new Map<string, string>()
  const states = new Map<number, string>([[feed.opId, '[]']])
  let version = 0
  let position = 1n
  return {
    feed,
    writer,
    compactor,
    bucket,
    downloads: createDownloads(),
    compactions,
    rows,
    states,
    async write(changes) {
      const id = writer.ids.id(name)
      for (const { kind, row } of changes) {
        const key = `r${row}`
        if (kind === 'clear') {
          writer.pending.clear(new Set([id]))
          rows.clear()
        } else if (kind === 'remove') {
          writer.pending.remove(id, 'items', key)
          rows.delete(key)
        } else {
          const data = `{"v":${++version}}`
          writer.pending.put(id, 'items', key, data, !rows.has(key))
          rows.set(key, data)
        }
      }
      await writer.complete(++position as Lsn, () => states.set(writer.lastOpId, print(rows)))
    },
    async compact() {
      await compactor.round()
      await compactor.round() // what the first one found new is old now
    },
  }
}

interface ReadOp {
  readonly op_id: string
  readonly op: string
  readonly object_id?: string
  readonly data?: string | null
  readonly checksum: number
}

/** A device's copy of the bucket, kept as the public client's core keeps it. */
class Device {
  position = 0
  rows = new Map<string, { data: string; checksum: number }>()
  rest = 0
  held: HeldBucket | undefined
  /** Lines that still arrive before the connection breaks. */
  budget = Number.POSITIVE_INFINITY
  /** Lines that are written after that before anybody notices. */
  inFlight = 0
  hasLost = false
  readonly sink: LineSink = {
    format: { kind: 'ndjson', nestedData: false },
    pace: { lineBytesMax: DATA_LINE_BYTES_MAX, sliceBytesMax: SLICE_BYTES_MAX },
    control: async () => undefined,
    lines: async () => undefined,
    data: async (_bucket, _after, _hasMore, ops) => this.#read(ops),
    end: () => undefined,
    waitsSinceMs: undefined,
  }

  get sum(): number {
    return [...this.rows.values()].reduce((sum, row) => (sum + row.checksum) | 0, this.rest)
  }

  get state(): string {
    return print(new Map([...this.rows].map(([id, row]) => [id, row.data])))
  }

  #read(ops: EncodedOps): void {
    if (this.budget-- <= 0) {
      this.hasLost = true
      if (this.inFlight-- <= 0) throw new Error('the connection broke')
      return
    }
    const list = JSON.parse(`[${Buffer.concat(ops.body(this.sink.format)).toString()}]`) as ReadOp[]
    for (const op of list) {
      this.position = Number(op.op_id)
      const checksum = op.checksum | 0
      if (op.op === 'CLEAR') {
        this.rows.clear()
        this.rest = checksum
        continue
      }
      const old = op.object_id === undefined ? undefined : this.rows.get(op.object_id)
      if (old && op.object_id !== undefined) {
        this.rest = (this.rest + old.checksum) | 0
        this.rows.delete(op.object_id)
      }
      if (op.op === 'PUT' && op.object_id !== undefined) this.rows.set(op.object_id, { data: op.data ?? '', checksum })
      else this.rest = (this.rest + checksum) | 0
    }
  }
}

/** Brings a device to the newest checkpoint as a stream does. `between` runs before each read of the log. */
async function follow(
  log: Log,
  device: Device,
  name: string,
  useMemory: boolean,
  between: () => Promise<void>,
): Promise<void> {
  const { feed, bucket, downloads, compactions } = log
  device.held ??= heldBucket(
    bucket,
    GRANT,
    device.position,
    device.position > 0 ? downloads.sinceOf(name, bucket.name, device.position) : undefined,
  )
  const source = {
    feed: useMemory ? feed : { ...feed, recent: { ...feed.recent, read: () => undefined } },
    log: {
      ...reader,
      read: (input: Parameters<LogReader['read']>[0]) => {
        // Both ways of reading in turns, and each as the first.
        const isLarge = (reads++ + Number(name.at(-1))) % 2 === 1
        const slices = between().then(() => reader.read({ ...input, opsMax: 3, isLarge }))
        reading = slices.catch(() => undefined)
        return slices
      },
    },
    downloads,
    compactions,
    bulkLines: new Semaphore({ permits: 1 }),
    isFollowing: () => false,
  }
  let reading: Promise<unknown> = Promise.resolve()
  let reads = 0
  try {
    for (;;) {
      const opId = feed.opId
      const { checksum } = bucket
      const { fromLog } = await sendOps(source, device.sink, [device.held], opId, new AbortController().signal, name)
      if (device.hasLost) throw new Error('the connection broke')
      if (fromLog.some((one) => one.supersededAt > opId)) continue // as the stream: the next checkpoint completes it
      expect({ sum: device.sum, state: device.state }).toEqual({ sum: checksum, state: log.states.get(opId) })
      device.position = opId
      return
    }
  } catch (error) {
    if ((error as Error).message !== 'the connection broke') throw error
    device.held = undefined
    device.budget = Number.POSITIVE_INFINITY
    device.hasLost = false
  } finally {
    await reading // the slice after the one at which the connection broke
  }
}

const change = fc.record({
  kind: fc.constantFrom<Change['kind']>('put', 'put', 'put', 'put', 'remove', 'remove'),
  row: fc.nat(9),
})
const clear = fc.constant<Change>({ kind: 'clear', row: 0 })
const changes = fc.array(fc.oneof({ arbitrary: change, weight: 40 }, { arbitrary: clear, weight: 1 }), {
  minLength: 1,
  maxLength: 12,
})
const step = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('write' as const), changes }), weight: 6 },
  { arbitrary: fc.record({ kind: fc.constant('compact' as const) }), weight: 3 },
  {
    arbitrary: fc.record({
      kind: fc.constant('follow' as const),
      device: fc.nat(3),
      reconnects: fc.boolean(),
      useMemory: fc.boolean(),
      /** Lines after which the connection breaks. */
      breaksAfter: fc.option(fc.nat(3)),
      /** Lines that are written after that. */
      inFlight: fc.nat(3),
      /** What happens while the log is read. */
      between: fc.array(fc.option(fc.option(changes)), { maxLength: 4 }),
    }),
    weight: 6,
  },
)

const RUNS = runsOf(20, { variable: 'HOLDFAST_COMPACTION_RUNS' })

test(
  `devices at any operation reach the same rows and sums before and after compaction, in ${RUNS} histories`,
  { timeout: 300_000 },
  async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const log = await openLog(`b${++run}`)
        const devices = Array.from({ length: 4 }, () => new Device())
        const names = devices.map((_, index) => `device ${index}`)
        try {
          for (const one of steps) {
            if (one.kind === 'write') await log.write(one.changes)
            else if (one.kind === 'compact') await log.compact()
            else {
              const device = devices[one.device] as Device
              if (one.reconnects) device.held = undefined
              device.budget = one.breaksAfter ?? Number.POSITIVE_INFINITY
              device.inFlight = one.inFlight
              const happenings = [...one.between]
              await follow(log, device, names[one.device] as string, one.useMemory, async () => {
                const next = happenings.shift()
                if (next) await log.write(next)
                else if (next === undefined) return
                if (next === null) await log.compact()
              })
              device.budget = Number.POSITIVE_INFINITY
            }
          }
          await log.compact()
          for (const [index, device] of devices.entries())
            await follow(log, device, names[index] as string, false, async () => undefined)
        } finally {
          await log.compactor[Symbol.asyncDispose]()
        }
      }),
      {
        numRuns: RUNS,
        endOnFailure: true,
      },
    )
  },
)

test('after a long history a bucket has at most twice as many operations as rows', async () => {
  const log = await openLog('long', 500, 99_000)
  const random = (below: number): number => Math.floor(Math.random() * below)
  // Its operations get another digit on the way.
  for (let row = 0; row < 400; row++) await log.write([{ kind: 'put', row }])
  for (let batch = 0; batch < 200; batch++) {
    await log.write(
      Array.from({ length: 50 }, () => ({
        kind: random(3) === 0 ? ('remove' as const) : ('put' as const),
        row: random(500),
      })),
    )
    if (batch % 20 === 0) await log.compact()
  }
  await log.compact()
  const [counted] = await pool.query<{ ops: number; rows: number; told: string; sum: string; total: string }>(sql`
    select count(*)::int as ops, count(o.row_key)::int as rows, b.count::text as told,
           (sum(o.checksum::bigint)::bigint & 4294967295)::text as sum, b.checksum::text as total
      from sync.ops o join sync.buckets b on b.id = o.bucket_id where b.id = ${log.bucket.id} group by b.id`)
  expect(counted?.rows).toBe(log.rows.size)
  expect(counted?.rows).toBeGreaterThan(200)
  expect(counted?.ops).toBeLessThan(2 * log.rows.size)
  expect(counted?.told).toBe(String(counted?.ops))
  expect(counted?.sum).toBe(counted?.total)
  await log.compactor[Symbol.asyncDispose]()
})

test('a bucket that all rows have left and that a device may have keeps one operation', async () => {
  const log = await openLog('left')
  for (let row = 0; row < 30; row++) await log.write([{ kind: 'put', row }])
  for (let row = 0; row < 30; row++) await log.write([{ kind: 'remove', row }])
  await log.compact()
  const ops = await pool.query<{ doc: Buffer }>(sql`select doc from sync.ops where bucket_id = ${log.bucket.id}`)
  expect(ops.map(({ doc }) => (JSON.parse(docToJson(doc, false)) as ReadOp).op)).toEqual(['MOVE'])
  await log.compactor[Symbol.asyncDispose]()
})

test('buckets that are not needed any more are deleted in pieces, and nothing else', async () => {
  const log = await openLog('kept')
  await log.write([{ kind: 'put', row: 1 }])
  const [definition] = await pool.query<{ number: number }>(sql`
    insert into sync.definitions (id, tag, shape, active_from, dropped) values ('gone', 'x', 'x', '0/1', true) returning number`)
  await pool.execute(sql`
    insert into sync.buckets (id, name, definition, checksum, count, last_op_id)
    select -g, 'gone' || g, ${definition?.number}, 0, 5, 5 from generate_series(1, 20) g`)
  await pool.execute(sql`
    insert into sync.ops select op, -g, 0, null, '' from generate_series(1, 20) g, generate_series(1, 5) op`)
  await log.compact()
  const [left] = await pool.query<{ ops: number; buckets: number; definitions: number; kept: number }>(sql`
    select (select count(*)::int from sync.ops where bucket_id < 0) as ops,
           (select count(*)::int from sync.buckets where id < 0) as buckets,
           (select count(*)::int from sync.definitions where dropped) as definitions,
           (select count(*)::int from sync.ops where bucket_id = ${log.bucket.id}) as kept`)
  expect(left).toEqual({ ops: 0, buckets: 0, definitions: 0, kept: 1 })
  await log.compactor[Symbol.asyncDispose]()
})
