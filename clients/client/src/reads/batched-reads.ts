import type { CommonPowerSyncDatabase, LockContext } from '@powersync/common'

/** A bound value. */
export type Parameter = string | number | null

/** Same methods as PowerSync's database. */
export interface Reads {
  getAll<Row>(sql: string, parameters?: readonly Parameter[]): Promise<Row[]>
  getOptional<Row>(sql: string, parameters?: readonly Parameter[]): Promise<Row | null>
  /** @throws if there is no row */
  get<Row>(sql: string, parameters?: readonly Parameter[]): Promise<Row>
}

/** Reads of a local database, in request order. */
export interface BatchedReads extends Reads {
  /** Prioritized reads: rows visible on screen. */
  readonly urgent: Reads
}

interface Read {
  readonly sql: string
  readonly parameters: readonly Parameter[]
  readonly isUrgent: boolean
  resolve(rows: unknown[]): void
  reject(error: unknown): void
}

/** Reads per lock, which limits how long a write waits. */
export const BATCH_READS_MAX = 32
/** Time in ms that results wait for others of their batch, so that a screen renders once for all. */
const ANSWERS_DELAY_MS = 16

const known = new WeakMap<CommonPowerSyncDatabase, BatchedReads>()

/**
 * Coalesces concurrent reads into batches: each acquires the database once, sends its statements without waiting in between, and delivers results together. A
 * single read costs three sequential round trips to the SQLite worker, and a screen makes dozens. Failures stay separate.
 */
export function batchedReads(database: CommonPowerSyncDatabase): BatchedReads {
  let reads = known.get(database)
  if (!reads) {
    reads = createBatchedReads(database)
    known.set(database, reads)
  }
  return reads
}

function createBatchedReads(database: CommonPowerSyncDatabase): BatchedReads {
  let waiting: Read[] = []

  function add(sql: string, parameters: readonly Parameter[], isUrgent: boolean): Promise<unknown[]> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>()
    const place = isUrgent ? waiting.filter((read) => read.isUrgent).length : waiting.length
    waiting.splice(place, 0, { sql, parameters, isUrgent, resolve, reject })
    // Further reads until the database is acquired join the batch.
    if (waiting.length === 1) queueMicrotask(() => void readBatch())
    return promise
  }

  function takeBatch(): readonly Read[] {
    const batch = waiting.slice(0, BATCH_READS_MAX)
    waiting = waiting.slice(BATCH_READS_MAX)
    if (waiting.length > 0) queueMicrotask(() => void readBatch())
    return batch
  }

  async function readBatch(): Promise<void> {
    let batch: readonly Read[] | undefined
    try {
      await database.readLock(async (connection) => {
        batch = takeBatch()
        await answerAll(connection, batch)
      })
    } catch (error) {
      // Already resolved reads stay resolved.
      for (const read of batch ?? takeBatch()) read.reject(error)
    }
  }

  const reads = (isUrgent: boolean): Reads => {
    const getAll = async <Row>(sql: string, parameters: readonly Parameter[] = []): Promise<Row[]> =>
      (await add(sql, parameters, isUrgent)) as Row[]
    return {
      getAll,
      getOptional: async <Row>(sql: string, parameters?: readonly Parameter[]) =>
        (await getAll<Row>(sql, parameters))[0] ?? null,
      async get<Row>(sql: string, parameters?: readonly Parameter[]) {
        const [row] = await getAll<Row>(sql, parameters)
        if (row === undefined) throw new Error('The query has no rows.')
        return row
      },
    }
  }
  return { ...reads(false), urgent: reads(true) }
}

/** @throws the first failure after all are settled, because damage detection observes lock errors */
async function answerAll(connection: LockContext, batch: readonly Read[]): Promise<void> {
  const answers: (() => void)[] = []
  const failures: unknown[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    for (const answer of answers.splice(0)) answer()
  }
  const add = (answer: () => void): void => {
    answers.push(answer)
    timer ??= setTimeout(flush, ANSWERS_DELAY_MS)
  }
  await Promise.all(
    batch.map(({ sql, parameters, resolve, reject }) =>
      connection.getAll<unknown>(sql, [...parameters]).then(
        (rows) => add(() => resolve(rows)),
        (error: unknown) => {
          failures.push(error)
          add(() => reject(error))
        },
      ),
    ),
  )
  flush()
  if (failures.length > 0) throw failures[0]
}
