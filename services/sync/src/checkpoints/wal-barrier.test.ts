import { describe, expect, test } from 'vitest'
import { formatLsn, type Lsn } from '@holdfast/replication'
import { createCheckpointFeed, type CheckpointFeed } from './checkpoint-feed.ts'
import { createWalBarrier, type WalBarrier } from './wal-barrier.ts'

const lsn = (value: number): Lsn => BigInt(value) as Lsn
const { signal } = new AbortController()

/** A barrier over a Postgres whose next messages are at these positions; more of them are none of its business. */
function openBarrier(positions: readonly number[]): { feed: CheckpointFeed; barrier: WalBarrier; left: number[] } {
  const feed = createCheckpointFeed()
  const left = [...positions]
  const query = async <Row extends object>(): Promise<Row[]> => {
    const next = left.shift()
    if (next === undefined) throw new Error('one message too many')
    feed.advance(lsn(next))
    return [{ lsn: formatLsn(lsn(next)) }] as unknown as Row[]
  }
  return { feed, barrier: createWalBarrier({ query }, feed), left }
}

describe('waiting for a position', () => {
  test('takes one message', async () => {
    const { feed, barrier, left } = openBarrier([70])
    await barrier.waitFor(lsn(60), signal)
    expect(feed.position).toBe(lsn(70))
    expect(left).toEqual([])
  })

  test('takes another message when the one on its way was written before', async () => {
    const { barrier, left } = openBarrier([50, 70])
    await Promise.all([barrier.waitFor(lsn(40), signal), barrier.waitFor(lsn(60), signal)])
    expect(left).toEqual([])
  })

  test('ends with the present when a failover has taken the position back', async () => {
    const { barrier, left } = openBarrier([50])
    await barrier.waitFor(lsn(60), signal)
    expect(left).toEqual([])
  })
})
