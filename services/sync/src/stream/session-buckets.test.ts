import type { Lsn } from '@holdfast/replication'
import { describe, expect, test } from 'vitest'
import type { BucketGrant } from '../buckets/bucket-grant.ts'
import { createCheckpointFeed, type AppliedBatch } from '../checkpoints/checkpoint-feed.ts'
import type { BucketState } from '../storage/bucket-storage.ts'
import { createDownloads } from './downloads.ts'
import { SessionBuckets } from './session-buckets.ts'

const grant = (priority: number): BucketGrant => ({
  priority,
  subscriptions: [{ default: 0 }],
  isSubscribed: false,
  text: `[${priority}]`,
})

const nameOf = (key: string): string => `t1.0123abcd.0000000f["${key}"]`
const [A, B, EMPTY] = [nameOf('a'), nameOf('b'), nameOf('empty')]

/** A session whose log has the buckets `a` and `b` at operation 2. */
function open(positions: ReadonlyMap<string, number> = new Map()): {
  readonly buckets: SessionBuckets
  readonly wakes: string[]
  grantAll(grants: Readonly<Record<string, BucketGrant>>): Promise<void>
  publish(id: number, name: string, isFresh?: boolean): void
  reset(): void
  taken(): readonly string[]
} {
  const feed = createCheckpointFeed()
  feed.reset(2, 1n as Lsn)
  const stored = [A, B].map((name, index): BucketState => ({
    id: index + 1,
    name,
    checksum: 7,
    count: 1,
    lastOpId: index + 1,
    floor: 0,
  }))
  const wakes: string[] = []
  let lastOpId = 2
  const buckets: SessionBuckets = new SessionBuckets({
    feed,
    downloads: createDownloads(),
    readBuckets: async (names) => ({ atOpId: 2, buckets: stored.filter(({ name }) => names.includes(name)) }),
    device: 'device',
    signal: new AbortController().signal,
    positions,
    listener: {
      bucketChanged(bucket) {
        buckets.changed(bucket)
        wakes.push('changed')
      },
      bucketAppeared: (bucket, given) => buckets.appeared(bucket, given),
      feedReset: () => void wakes.push('reset'),
    },
  })
  return {
    buckets,
    wakes,
    async grantAll(grants) {
      buckets.grant(new Map(Object.entries(grants)))
      await buckets.fill()
    },
    publish(id, name, isFresh = false) {
      const batch: AppliedBatch = {
        fromOpId: lastOpId++,
        toOpId: lastOpId,
        endLsn: BigInt(lastOpId) as Lsn,
        taken: undefined,
        deltas: new Map([[id, { checksum: 1, count: 1, lastOpId }]]),
        cleared: new Set(),
        fresh: new Map(isFresh ? [[id, { name }]] : []),
      }
      feed.publish(batch)
    },
    reset: () => feed.reset(2, 9n as Lsn),
    taken: () => buckets.takeChanged().map(({ bucket }) => bucket.name),
  }
}

describe('the buckets of a session', () => {
  test('are named by the first checkpoint, and then only when they change', async () => {
    const { buckets, grantAll, taken, publish } = open()
    await grantAll({ [A]: grant(3), [B]: grant(3) })
    expect(taken()).toEqual([A, B])
    for (const entry of buckets.announced()) entry.upTo = 2 // they were sent
    expect(taken()).toEqual([])
    publish(2, B)
    expect(taken()).toEqual([B])
  })

  test('are named again when the device has to be told of another priority', async () => {
    const { buckets, grantAll, taken } = open()
    await grantAll({ [A]: grant(3), [B]: grant(3) })
    taken()
    for (const entry of buckets.announced()) entry.upTo = 2
    await grantAll({ [A]: grant(1), [B]: grant(3) })
    expect(taken()).toEqual([A])
  })

  test('that the person no longer has are dropped by the next checkpoint, if the device knows of them', async () => {
    const { buckets, grantAll, taken } = open()
    await grantAll({ [A]: grant(3) })
    taken()
    await grantAll({ [B]: grant(3) })
    await grantAll({})
    expect(buckets.lost()).toEqual([A])
    buckets.told()
    expect(buckets.lost()).toEqual([])
  })

  test('that were lost and gained again between two checkpoints go on from where the device is', async () => {
    const { buckets, grantAll, taken } = open()
    await grantAll({ [A]: grant(3) })
    taken()
    for (const entry of buckets.announced()) entry.upTo = entry.position = 1
    await grantAll({})
    await grantAll({ [A]: grant(3) })
    expect(buckets.lost()).toEqual([])
    expect(buckets.announced()).toMatchObject([{ upTo: 1, position: 1 }])
  })

  test('start where the device says that it is, before the first checkpoint only', async () => {
    const { buckets, grantAll, taken } = open(new Map([[A, 1]]))
    await grantAll({ [A]: grant(3) })
    taken()
    expect(buckets.announced()).toMatchObject([{ position: 1 }])
    buckets.told()
    await grantAll({})
    buckets.told()
    await grantAll({ [A]: grant(3) })
    taken()
    expect(buckets.announced()).toMatchObject([{ position: 0 }])
  })

  test('without any row are not named, until the first one comes', async () => {
    const { buckets, grantAll, taken, publish, wakes } = open()
    await grantAll({ [EMPTY]: grant(3) })
    expect(taken()).toEqual([])
    expect(buckets.announced()).toEqual([])
    publish(9, EMPTY, true)
    expect(wakes).toEqual(['changed'])
    expect(taken()).toEqual([EMPTY])
  })

  test('tell of the most urgent change since the last checkpoint', async () => {
    const { buckets, grantAll, taken, publish } = open()
    await grantAll({ [A]: grant(1), [B]: grant(3) })
    taken()
    expect(buckets.highestDirtyPriority).toBe(Number.POSITIVE_INFINITY)
    publish(2, B)
    publish(1, A)
    expect(buckets.highestDirtyPriority).toBe(1)
    taken()
    expect(buckets.highestDirtyPriority).toBe(Number.POSITIVE_INFINITY)
  })

  test('are all looked at after a repair of the log', async () => {
    const { buckets, grantAll, taken, reset, wakes } = open()
    await grantAll({ [A]: grant(3), [EMPTY]: grant(3) })
    taken()
    for (const entry of buckets.announced()) entry.upTo = 1
    reset()
    expect(wakes).toEqual(['reset'])
    expect(buckets.isOfEpoch).toBe(false)
    await buckets.refill()
    expect(buckets.isOfEpoch).toBe(true)
    for (const entry of buckets.announced()) entry.upTo = 0 // what was sent is of no use any more
    expect(taken()).toEqual([A])
  })

  test('are begun again when the device is ahead of the log, which was restored', async () => {
    const { buckets, grantAll, taken } = open(new Map([[A, 99]]))
    await grantAll({ [A]: grant(3) })
    expect(taken()).toEqual([A])
    expect(buckets.announced()).toMatchObject([{ stale: true, upTo: 0, position: 0 }])
  })

  test('tell nothing more once they are released', async () => {
    const { buckets, grantAll, publish, reset, wakes } = open()
    await grantAll({ [A]: grant(3), [EMPTY]: grant(3) })
    buckets.takeChanged()
    buckets.release()
    publish(1, A)
    publish(9, EMPTY, true)
    reset()
    expect(wakes).toEqual([])
  })
})
