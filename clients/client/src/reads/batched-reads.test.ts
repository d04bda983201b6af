import type { CommonPowerSyncDatabase, LockContext } from '@powersync/common'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openPlayedDevice } from '../upload/played-device.test-support.ts'
import { BATCH_READS_MAX, batchedReads } from './batched-reads.ts'

/** A database that answers each query with its text; `refused` fails. */
function playDatabase(): {
  readonly database: CommonPowerSyncDatabase
  readonly batches: string[][]
  /** Errors that ended locks. */
  readonly failedLocks: unknown[]
  /** Blocks the database until the returned function is called. */
  hold(): () => void
  breakLock(error: Error): void
} {
  const batches: string[][] = []
  const failedLocks: unknown[] = []
  let free = Promise.resolve()
  let broken: Error | undefined
  const readLock = async (callback: (connection: LockContext) => Promise<void>): Promise<void> => {
    await free
    if (broken) throw broken
    const batch: string[] = []
    batches.push(batch)
    const done = callback({
      async getAll(sql: string) {
        batch.push(sql)
        if (sql === 'refused') throw new Error('no such table')
        return [{ sql }]
      },
    } as unknown as LockContext)
    await done.catch((error: unknown) => {
      failedLocks.push(error)
      throw error
    })
  }
  return {
    database: { readLock } as unknown as CommonPowerSyncDatabase,
    batches,
    failedLocks,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      free = promise
      return resolve
    },
    breakLock: (error) => (broken = error),
  }
}

describe('reads that are asked for at the same time', () => {
  test('take the database once, and each has its own answer', async () => {
    const { database, batches } = playDatabase()
    const reads = batchedReads(database)
    const answers = await Promise.all([reads.getAll('a'), reads.get('b'), reads.getOptional('c')])
    expect(answers).toEqual([[{ sql: 'a' }], { sql: 'b' }, { sql: 'c' }])
    expect(batches).toEqual([['a', 'b', 'c']])
  })

  test('are joined by those that come until the database is free', async () => {
    const { database, batches, hold } = playDatabase()
    const reads = batchedReads(database)
    const release = hold()
    const first = reads.getAll('a')
    await new Promise((resolve) => setTimeout(resolve, 5))
    const second = batchedReads(database).getAll('b')
    release()
    await Promise.all([first, second])
    expect(batches).toEqual([['a', 'b']])
    await reads.getAll('c')
    expect(batches).toEqual([['a', 'b'], ['c']])
  })

  test('are answered although one of them fails', async () => {
    const { database, failedLocks } = playDatabase()
    const reads = batchedReads(database)
    const [a, refused, b] = await Promise.allSettled([reads.getAll('a'), reads.getAll('refused'), reads.getAll('b')])
    expect([a.status, b.status]).toEqual(['fulfilled', 'fulfilled'])
    expect(refused).toMatchObject({ status: 'rejected', reason: { message: 'no such table' } })
    // Damage detection observes lock errors.
    expect(failedLocks).toMatchObject([{ message: 'no such table' }])
  })

  test('all fail when the database cannot be taken, and later ones are answered', async () => {
    const { database, breakLock } = playDatabase()
    const reads = batchedReads(database)
    breakLock(new Error('closed'))
    const answers = await Promise.allSettled([reads.getAll('a'), reads.getAll('b')])
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    breakLock(undefined as unknown as Error)
    await expect(reads.getAll('c')).resolves.toEqual([{ sql: 'c' }])
  })

  test('begin with the urgent ones, and no write waits for more than one batch', async () => {
    const { database, batches } = playDatabase()
    const reads = batchedReads(database)
    const many = Array.from({ length: BATCH_READS_MAX + 3 }, (_, index) => reads.getAll(String(index)))
    await Promise.all([...many, reads.urgent.getAll('rows'), reads.urgent.getAll('more rows')])
    expect(batches.map((batch) => batch.length)).toEqual([BATCH_READS_MAX, 5])
    expect(batches[0]?.slice(0, 3)).toEqual(['rows', 'more rows', '0'])
  })
})

test('a row that has to be there is missed', async () => {
  await using device = await openPlayedDevice()
  const reads = batchedReads(device.database)
  await expect(reads.get('select 1 where 0')).rejects.toThrow('The query has no rows.')
  await expect(reads.getOptional('select 1 where 0')).resolves.toBeNull()
})

test('reads in any number and order have the answers of reads one by one', async () => {
  const read = fc.record({ value: fc.integer(), isUrgent: fc.boolean(), isBroken: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(read, { maxLength: 80 }), async (asked) => {
      const { database } = playDatabase()
      const reads = batchedReads(database)
      const answers = await Promise.allSettled(
        asked.map(({ value, isUrgent, isBroken }) =>
          (isUrgent ? reads.urgent : reads).getAll(isBroken ? 'refused' : `${value}`),
        ),
      )
      expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'refused'))).toEqual(
        asked.map(({ value, isBroken }) => (isBroken ? 'refused' : [{ sql: `${value}` }])),
      )
    }),
  )
})
