import { deserialize } from 'bson'
import { expect, test } from 'vitest'
import { createCheckpointFeed, type CheckpointFeed, type LiveBucket } from '../checkpoints/checkpoint-feed.ts'
import { PendingOps } from '../storage/pending-ops.ts'
import { heldBucket, type HeldBucket } from './send-ops.ts'
import { createSharedLines, type OneChange } from './shared-lines.ts'

const BSON = { kind: 'bson' } as const
const GRANT = { priority: 3, subscriptions: [], isSubscribed: false, text: '' }
const NO_LISTENER = { bucketChanged: () => undefined, feedReset: () => undefined }

/** A bucket with one row, and then a second one that is a change of its own. */
async function world(): Promise<{ feed: CheckpointFeed; bucket: LiveBucket; held: () => HeldBucket }> {
  const feed = createCheckpointFeed()
  let opId = 0
  const pending = new PendingOps(
    () => ++opId,
    () => opId,
  )
  const write = (id: string): void => {
    const fromOpId = opId
    pending.put(1, 'items', id, `{"id":"${id}"}`, true)
    const taken = pending.take()
    feed.publish({
      fromOpId,
      toOpId: opId,
      endLsn: BigInt(opId) as never,
      taken,
      deltas: taken.deltas,
      cleared: new Set(),
      fresh: new Map([[1, { name: 'b' }]]),
    })
  }
  const [bucket] = feed.hold(['b'], NO_LISTENER)
  if (!bucket) throw new Error('no bucket')
  await feed.fill(async () => ({ atOpId: 0, buckets: [] }), ['b'])
  write('one')
  write('two')
  return { feed, bucket, held: () => ({ ...heldBucket(bucket, GRANT, 1), upTo: 1 }) }
}

const diff = (opId: number): OneChange['line'] => ({
  checkpoint_diff: { last_op_id: String(opId), removed_buckets: [], updated_buckets: [] },
})

function documentsOf(bytes: Buffer): Record<string, unknown>[] {
  const documents: Record<string, unknown>[] = []
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at))
    documents.push(deserialize(bytes.subarray(at, at + bytes.readInt32LE(at))))
  return documents
}

test('a change is the checkpoint, the operations and the end, and the same bytes for all who stand at the same place', async () => {
  const { feed, held } = await world()
  const lines = createSharedLines(feed)
  const devices = [held(), held()]
  const [one, other] = devices.map((device) => lines.take(BSON, { held: device, opId: 2, line: diff(2), id: '' }))
  expect(one).toBe(other)
  expect(devices.map(({ position, upTo }) => [position, upTo])).toEqual([
    [2, 2],
    [2, 2],
  ])
  expect(documentsOf(one as Buffer)).toEqual([
    diff(2),
    {
      data: expect.objectContaining({
        bucket: 'b',
        after: '1',
        has_more: false,
        next_after: '2',
        data: [expect.objectContaining({ op: 'PUT', object_id: 'two' })],
      }) as unknown,
    },
    { checkpoint_complete: { last_op_id: '2' } },
  ])
  expect(lines.take(BSON, { held: devices[0] as HeldBucket, opId: 2, line: diff(2), id: '' })).toBeUndefined()
})

test('other formats, places and checkpoints have lines of their own', async () => {
  const { feed, bucket, held } = await world()
  const lines = createSharedLines(feed)
  const earlier = { ...heldBucket(bucket, GRANT, 1), upTo: 1, position: 1 }
  const raw = { kind: 'ndjson', nestedData: false } as const
  const taken = [
    lines.take(BSON, { held: held(), opId: 2, line: diff(2), id: '' }),
    lines.take(BSON, { held: held(), opId: 2, line: diff(2), id: 'write checkpoint 7' }),
    lines.take(raw, { held: earlier, opId: 2, line: diff(2), id: '' }),
  ]
  expect(new Set(taken).size).toBe(3)
  expect(String(taken[2])).toContain('"checkpoint_complete"')
})

test.each<[string, (held: HeldBucket, bucket: LiveBucket) => void]>([
  ['has nothing of the bucket', (held) => Object.assign(held, { position: 0, upTo: 0 })],
  ['has to forget what it has', (held) => Object.assign(held, { stale: true })],
  ['stands in the middle of what was made one', (_, bucket) => Object.assign(bucket, { floor: 2 })],
])('a device that %s gets lines of its own', async (_, change) => {
  const { feed, bucket, held } = await world()
  const device = held()
  change(device, bucket)
  expect(createSharedLines(feed).take(BSON, { held: device, opId: 2, line: diff(2), id: '' })).toBeUndefined()
})
