import { describe, expect, test } from 'vitest'
import type { BucketGrant } from '../buckets/bucket-grant.ts'
import type { LiveBucket } from '../checkpoints/checkpoint-feed.ts'
import { nextCheckpoint, NOTHING_TOLD, type Untold } from './next-checkpoint.ts'
import { heldBucket, type HeldBucket } from './send-ops.ts'
import type { ChosenStreams } from './wanted-streams.ts'

const STREAMS = [{ name: 'everything', is_default: true, errors: [] }]

const chosen: ChosenStreams = {
  subscriptions: [
    {
      subscription: {
        stream: { name: 'everything' } as ChosenStreams['subscriptions'][number]['subscription']['stream'],
        parameters: '{}',
      },
      reasons: [{ subscription: { default: 0 }, priority: 3 }],
    },
  ],
  streams: [],
  unknown: new Map(),
}

function held(name: string, priority = 3): HeldBucket {
  const bucket: LiveBucket = {
    name,
    id: 1,
    checksum: 17,
    count: 2,
    lastOpId: 9,
    supersededAt: 0,
    floor: 0,
    isFilled: true,
    listeners: undefined,
  }
  const grant: BucketGrant = { priority, subscriptions: [{ default: 0 }], isSubscribed: false, text: `${priority}` }
  return heldBucket(bucket, grant, 0)
}

function untold(change: Partial<Untold>): Untold {
  return {
    opId: 9,
    chosen,
    streams: STREAMS,
    writeCheckpoint: undefined,
    changed: [],
    removed: [],
    isPending: false,
    announced: () => [],
    ...change,
  }
}

const TOLD = { streams: STREAMS, writeCheckpoint: undefined }

describe('the next checkpoint', () => {
  test('is a whole one the first time, with all buckets that the device knows of, also when there are none', () => {
    const a = held('a')
    const first = nextCheckpoint(NOTHING_TOLD, untold({ changed: [a], announced: () => [a] }))
    expect(first?.checkpoint).toEqual({
      line: {
        checkpoint: {
          last_op_id: '9',
          buckets: [{ bucket: 'a', checksum: 17, count: 2, priority: 3, subscriptions: [{ default: 0 }] }],
          streams: STREAMS,
        },
      },
      groups: [{ priority: 3, buckets: [a] }],
      opId: 9,
      writeCheckpoint: undefined,
    })
    expect(first?.told).toEqual(TOLD)
    expect(nextCheckpoint(NOTHING_TOLD, untold({}))?.checkpoint).toMatchObject({
      line: { checkpoint: { buckets: [] } },
      groups: [{ priority: 3, buckets: [] }], // the device waits for each priority
    })
  })

  test('there is none when nothing has changed', () => {
    expect(nextCheckpoint(TOLD, untold({}))).toBeUndefined()
    expect(nextCheckpoint(TOLD, untold({ streams: structuredClone(STREAMS) }))).toBeUndefined()
  })

  test.each<[string, Partial<Untold>, object]>([
    ['a changed bucket', { changed: [held('a')] }, { updated_buckets: [{ bucket: 'a' }] }],
    ['a removed bucket', { removed: ['b'] }, { removed_buckets: ['b'], updated_buckets: [] }],
    ['a write checkpoint', { writeCheckpoint: 5n }, { write_checkpoint: '5', updated_buckets: [] }],
    ['a checkpoint that was not completed', { isPending: true }, { updated_buckets: [], removed_buckets: [] }],
  ])('is a difference for %s', (_, change, line) => {
    const next = nextCheckpoint(TOLD, untold(change))
    expect(next?.checkpoint.line).toMatchObject({ checkpoint_diff: { last_op_id: '9', ...line } })
    expect(next?.told.writeCheckpoint).toBe(change.writeCheckpoint)
  })

  test('is a whole one again when the streams are others, which a difference cannot tell', () => {
    const streams = [{ name: 'mine', is_default: false, errors: [] }]
    expect(nextCheckpoint(TOLD, untold({ streams }))?.checkpoint.line).toMatchObject({ checkpoint: { streams } })
  })

  test('sends the buckets of the first priority first', () => {
    const [later, first] = [held('later', 3), held('first', 1)]
    expect(nextCheckpoint(TOLD, untold({ changed: [later, first] }))?.checkpoint.groups).toEqual([
      { priority: 1, buckets: [first] },
      { priority: 3, buckets: [later] },
    ])
  })
})
