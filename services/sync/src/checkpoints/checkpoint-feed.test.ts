import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Lsn } from '@holdfast/replication'
import type { BucketState } from '../storage/bucket-storage.ts'
import type { BucketDelta } from '../storage/pending-ops.ts'
import { createCheckpointFeed, type AppliedBatch, type BucketListener, type LiveBucket } from './checkpoint-feed.ts'

/*
 * Pins that a bucket's numbers are those of the newest checkpoint as soon as a fill resolves, whether the log was read before, between or
 * after the batches that were published meanwhile.
 */

const lsn = (value: number): Lsn => BigInt(value) as Lsn
const listener: BucketListener = { bucketChanged: () => undefined, feedReset: () => undefined }
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A log with two buckets, whose writes are committed first and published later. */
function createLog(): {
  commit(changes: readonly number[], clears?: boolean): AppliedBatch
  read: (names: readonly string[]) => { readonly atOpId: number; readonly buckets: BucketState[] }
  committed(): number
} {
  const stored = new Map<string, BucketState>()
  let opId = 0
  return {
    committed: () => opId,
    commit(changes, clears = false) {
      const fromOpId = opId
      const deltas = new Map<number, BucketDelta>()
      const fresh = new Map<number, { name: string }>()
      const cleared = new Set<number>()
      for (const id of changes) {
        opId++
        const name = `bucket ${id}`
        const old = stored.get(name)
        if (!old) fresh.set(id, { name })
        const isFirst = !deltas.has(id)
        if (clears && isFirst && old) cleared.add(id)
        const delta = deltas.get(id) ?? { checksum: 0, count: 0, lastOpId: 0 }
        deltas.set(id, { checksum: (delta.checksum + opId * 7919) | 0, count: delta.count + 1, lastOpId: opId })
        const base = cleared.has(id) && isFirst ? undefined : old
        stored.set(name, {
          id,
          name,
          checksum: ((base?.checksum ?? 0) + opId * 7919) | 0,
          count: (base?.count ?? 0) + 1,
          lastOpId: opId,
          floor: 0,
        })
      }
      return { fromOpId, toOpId: opId, endLsn: lsn(opId), taken: undefined, deltas, cleared, fresh }
    },
    read: (names) => ({ atOpId: opId, buckets: names.flatMap((name) => stored.get(name) ?? []) }),
  }
}

const numbers = ({
  id,
  checksum,
  count,
  lastOpId,
}: Pick<LiveBucket, 'id' | 'checksum' | 'count' | 'lastOpId'>): object => ({ id, checksum, count, lastOpId })

test('the numbers of a filled bucket are those of the newest checkpoint, in any interleaving', async () => {
  const action = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('commit' as const),
        changes: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 3 }),
        clears: fc.boolean(),
      }),
    },
    { weight: 4, arbitrary: fc.constant({ kind: 'publish' as const }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('fill' as const),
        names: fc.uniqueArray(fc.constantFrom('bucket 1', 'bucket 2', 'bucket 3'), { minLength: 1 }),
      }),
    },
    { weight: 3, arbitrary: fc.constant({ kind: 'query' as const }) },
    { weight: 3, arbitrary: fc.constant({ kind: 'answer' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'turn' as const }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      const feed = createCheckpointFeed()
      const log = createLog()
      const unpublished: AppliedBatch[] = []
      /** Queries under way: not run yet, or run and not answered. */
      const queries: { run(): void; answer(): void; ran: boolean }[] = []
      /** The truth at each checkpoint. */
      const truth = new Map<number, ReturnType<typeof log.read>['buckets']>([[0, []]])
      const fills: Promise<void>[] = []

      const expectTrue = (held: readonly LiveBucket[]): void => {
        const now = truth.get(feed.opId)
        for (const bucket of held) {
          const stored = now?.find((one) => one.name === bucket.name)
          expect(numbers(bucket)).toEqual(numbers(stored ?? { id: 0, checksum: 0, count: 0, lastOpId: 0 }))
        }
      }
      const step = async (one: (typeof actions)[number]): Promise<void> => {
        if (one.kind === 'commit' && unpublished.length === 0) {
          unpublished.push(log.commit(one.changes, one.clears))
          truth.set(log.committed(), log.read(['bucket 1', 'bucket 2', 'bucket 3']).buckets)
        } else if (one.kind === 'publish') {
          const batch = unpublished.shift()
          if (batch) feed.publish(batch)
        } else if (one.kind === 'fill') {
          const held = feed.hold(one.names, { ...listener })
          fills.push(
            feed
              .fill((names) => {
                const answer = Promise.withResolvers<ReturnType<typeof log.read>>()
                let result: ReturnType<typeof log.read> | undefined
                queries.push({
                  ran: false,
                  run() {
                    this.ran = true
                    result = log.read(names)
                  },
                  answer() {
                    if (result) answer.resolve(result)
                  },
                })
                return answer.promise
              }, one.names)
              .then(() => expectTrue(held)),
          )
        } else if (one.kind === 'query') queries.find((query) => !query.ran)?.run()
        else if (one.kind === 'answer') {
          const at = queries.findIndex((query) => query.ran)
          if (at >= 0) queries.splice(at, 1)[0]?.answer()
        } else await turn()
      }
      for (const one of actions) await step(one)
      while (queries.length > 0) {
        await step({ kind: 'query' })
        await step({ kind: 'answer' })
        await turn()
      }
      await step({ kind: 'publish' })
      await Promise.all(fills)
      expectTrue(feed.hold(['bucket 1', 'bucket 2', 'bucket 3'].filter(() => fills.length > 0).slice(0, 0), listener))
    }),
    { numRuns: runsOf(300) },
  )
})

describe('a fill', () => {
  test('that another has made unnecessary still waits until what was read is published', async () => {
    const feed = createCheckpointFeed()
    const log = createLog()
    feed.publish(log.commit([1]))
    const batch = log.commit([1])
    const [bucket] = feed.hold(['bucket 1'], listener) as [LiveBucket]
    const first = feed.fill(async (names) => log.read(names), ['bucket 1'])
    await turn()
    let secondDone = false
    const second = feed.fill(async (names) => log.read(names), ['bucket 1']).then(() => (secondDone = true))
    await turn()
    expect(secondDone).toBe(false)
    feed.publish(batch)
    await Promise.all([first, second])
    expect(bucket.lastOpId).toBe(feed.opId)
  })

  test('that was read before a reset is read again', async () => {
    const feed = createCheckpointFeed()
    const log = createLog()
    feed.publish(log.commit([1]))
    const [bucket] = feed.hold(['bucket 1'], listener) as [LiveBucket]
    let reads = 0
    const stale = log.read(['bucket 1'])
    const answer = Promise.withResolvers<void>()
    const filling = feed.fill(
      async (names) => {
        if (reads++ > 0) return log.read(names)
        await answer.promise
        return stale
      },
      ['bucket 1'],
    )
    log.commit([1]) // in the log, but its writer died before it could publish
    feed.reset(log.committed(), lsn(2))
    answer.resolve()
    await filling
    expect(bucket).toMatchObject({ count: 2, lastOpId: 2 })
  })

  test('of a stream that ends does not go on waiting for what another server may have written', async () => {
    const feed = createCheckpointFeed()
    const log = createLog()
    feed.publish(log.commit([1]))
    log.commit([1]) // never to be published here
    feed.hold(['bucket 1'], listener)
    const abort = new AbortController()
    const filling = feed.fill(async (names) => log.read(names), ['bucket 1'], abort.signal)
    await turn()
    abort.abort(new Error('standing by'))
    await expect(filling).rejects.toThrow('standing by')
  })

  test('that has read what a failover took back is read again', async () => {
    const feed = createCheckpointFeed()
    const log = createLog()
    feed.publish(log.commit([1]))
    const [bucket] = feed.hold(['bucket 1'], listener) as [LiveBucket]
    const survived = log.read(['bucket 1'])
    log.commit([1])
    let reads = 0
    const filling = feed.fill(async (names) => (reads++ > 0 ? survived : log.read(names)), ['bucket 1'])
    await turn()
    feed.reset(survived.atOpId, lsn(2))
    await filling
    expect(bucket).toMatchObject({ count: 1, lastOpId: 1 })
  })

  test('made while a batch is being written knows that what it reads may have holes', async () => {
    const feed = createCheckpointFeed()
    const log = createLog()
    feed.publish(log.commit([1]))
    feed.announce([1])
    const [bucket] = feed.hold(['bucket 1'], listener) as [LiveBucket]
    await feed.fill(async (names) => log.read(names), ['bucket 1'])
    expect(bucket.supersededAt).toBe(Number.POSITIVE_INFINITY)
    feed.publish(log.commit([1]))
    expect(bucket.supersededAt).toBe(feed.opId)
  })
})

test('a position is waited for, and given up when the signal aborts', async () => {
  const feed = createCheckpointFeed()
  const abort = new AbortController()
  const reached = feed.reached(lsn(10), abort.signal)
  const never = feed.reached(lsn(99), abort.signal)
  feed.advance(lsn(9))
  feed.advance(lsn(10))
  await reached
  abort.abort(new Error('enough'))
  await expect(never).rejects.toThrow('enough')
})

test('listeners are told of changes of their buckets and of resets, once they hold them and until they let go', () => {
  const feed = createCheckpointFeed()
  const log = createLog()
  const told: string[] = []
  const ears: BucketListener = {
    bucketChanged: (bucket) => told.push(bucket.name),
    feedReset: () => told.push('reset'),
  }
  const held = feed.hold(['bucket 1'], ears)
  return feed
    .fill(async (names) => log.read(names), ['bucket 1'])
    .then(() => {
      feed.publish(log.commit([1, 2]))
      feed.publish(log.commit([2]))
      feed.reset(log.committed(), lsn(5))
      feed.release(held, ears)
      feed.publish(log.commit([1]))
      feed.reset(log.committed(), lsn(6))
      expect(told).toEqual(['bucket 1', 'reset'])
    })
})

describe('the position of the log after a reset', () => {
  test('is the one that it starts from, also when a failover has taken back later ones', async () => {
    const feed = createCheckpointFeed()
    feed.reset(0, lsn(100))
    feed.reset(0, lsn(40))
    expect(feed.position).toBe(lsn(40))
    let isReached = false
    const reached = feed.reached(lsn(60), new AbortController().signal).then(() => (isReached = true))
    feed.advance(lsn(50))
    await turn()
    expect(isReached).toBe(false)
    feed.advance(lsn(60))
    await reached
  })
})
