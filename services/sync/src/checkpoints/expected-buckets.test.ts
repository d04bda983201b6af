import { expect, test } from 'vitest'
import type { Lsn } from '@holdfast/replication'
import type { BucketGrant } from '../buckets/bucket-grant.ts'
import { createCheckpointFeed, type AppliedBatch, type ExpectingListener, type LiveBucket } from './checkpoint-feed.ts'
import { createExpectedBuckets, expectedNames } from './expected-buckets.ts'

const GRANT: BucketGrant = {
  priority: 3,
  subscriptions: [{ default: 0 }],
  isSubscribed: false,
  text: '[3,[{"default":0}]]',
}
const nameOf = (table: number, person: string): string => `t${table}.0123abcd.0000000f["${person}"]`
const granted = (names: readonly string[]): Map<string, BucketGrant> => new Map(names.map((name) => [name, GRANT]))

function listener(): ExpectingListener & { readonly told: string[] } {
  const told: string[] = []
  return {
    told,
    bucketAppeared: ({ name }) => void told.push(`${name} appeared`),
    bucketChanged: ({ name, count }) => void told.push(`${name} has ${count}`),
    feedReset: () => void told.push('reset'),
  }
}

let opId = 0
function batch(id: number, name: string, isFresh = true): AppliedBatch {
  const fromOpId = opId++
  return {
    fromOpId,
    toOpId: opId,
    endLsn: BigInt(opId) as Lsn,
    taken: undefined,
    deltas: new Map([[id, { checksum: 7, count: 1, lastOpId: opId }]]),
    cleared: new Set(),
    fresh: new Map(isFresh ? [[id, { name }]] : []),
  }
}

test('people with the same policies share the set of what their buckets begin with, whichever of them have rows', () => {
  const expected = createExpectedBuckets<string>()
  const sets = new Set<ReadonlySet<string>>()
  const all: ReturnType<typeof expected.replace>[] = []
  for (let person = 0; person < 1_000; person++) {
    const names = Array.from({ length: 56 }, (_, table) => nameOf(table, String(person)))
    const empty = granted(names.filter((_, table) => table % 7 !== person % 7))
    const made = expected.replace(String(person), [], empty, granted(names))
    expect(made).toHaveLength(1)
    for (const { parts } of made) sets.add(parts)
    for (const name of empty.keys()) expect([...expected.of(name)].map((one) => one.listener)).toEqual([String(person)])
    all.push(made)
  }
  expect(sets.size).toBe(1)
  for (const [person, made] of all.entries()) expected.replace(String(person), made, new Map(), [])
  expect([...expected.names()]).toEqual([])
})

test('each key is expected by itself, by as many as there are, and no longer than a stream expects it', () => {
  const expected = createExpectedBuckets<string>()
  const [mine, ours] = [nameOf(1, 'a'), nameOf(2, 'b')]
  const one = expected.replace('one', [], granted([mine, ours]), [])
  expected.replace('other', [], granted([ours]), [])
  expect(new Set(expectedNames(one).keys())).toEqual(new Set([mine, ours]))
  expect([...expected.of(ours)].map((each) => each.listener)).toEqual(['one', 'other'])
  expect([...expected.of(nameOf(1, 'b'))]).toEqual([])
  expected.replace('one', one, granted([mine]), [])
  expect([...expected.of(ours)].map((each) => each.listener)).toEqual(['other'])
  expect([...expected.of(mine)].map((each) => each.listener)).toEqual(['one'])
})

test('a bucket that is expected is held by whoever expects it from its first operation on', () => {
  const feed = createCheckpointFeed()
  const [one, other] = [listener(), listener()]
  const name = nameOf(1, 'a')
  const before = feed.expect(one, [], granted([name, nameOf(2, 'a')]), [])
  feed.expect(other, [], granted([name]), [])
  expect(feed.liveNames()).toEqual([name, nameOf(2, 'a')])
  feed.publish(batch(1, name))
  feed.publish(batch(1, name, false))
  const told = [`${name} appeared`, `${name} has 1`, `${name} has 2`]
  expect(one.told).toEqual(told)
  expect(other.told).toEqual(told)
  feed.expect(one, before, new Map(), [])
  feed.publish(batch(2, nameOf(2, 'a')))
  expect(one.told).toEqual(told)
})

test('one that another stream is about to read from the log is complete for whoever expected it, and counted once', async () => {
  const feed = createCheckpointFeed()
  const [one, other] = [listener(), listener()]
  const name = nameOf(1, 'a')
  feed.expect(one, [], granted([name]), [])
  const [bucket] = feed.hold([name], other) as [LiveBucket]
  const read = Promise.withResolvers<void>()
  const filled = feed.fill(async () => {
    await read.promise
    return { atOpId: 0, buckets: [] }
  }, [name])
  feed.publish(batch(1, name))
  expect(one.told).toEqual([`${name} appeared`, `${name} has 1`])
  read.resolve()
  await filled
  expect(bucket).toMatchObject({ id: 1, count: 1, checksum: 7 })
  feed.publish(batch(1, name, false))
  expect(one.told.at(-1)).toBe(`${name} has 2`)
  expect(other.told.at(-1)).toBe(`${name} has 2`)
})

test('a reset is told whoever expects something', () => {
  const feed = createCheckpointFeed()
  const one = listener()
  feed.expect(one, [], granted([nameOf(1, 'a')]), [])
  feed.reset(10, 10n as Lsn)
  expect(one.told).toEqual(['reset'])
})
