import { afterEach, describe, expect, test, vi } from 'vitest'
import { delay } from '@holdfast/foundation'
import type { CheckpointFeed } from '../src/checkpoints/checkpoint-feed.ts'
import type { ApplyContext, RowChange } from '../src/rows/apply-changes.ts'
import { findBreaches, runHistory } from './histories.ts'
import type { PendingOp } from '../src/storage/pending-ops.ts'
import { openWorld, type WorldOptions } from './sync-world.ts'

/*
 * Whether the checker of histories can fail: each kind of fault is planted in the service, and has to be found within a few histories. A checker that
 * finds nothing here would find nothing in `histories.pg.test.ts` either.
 */

const planted = vi.hoisted(() => ({
  fault: 'none' as 'none' | 'old key' | 'torn' | 'lost' | 'untold' | 'content' | 'keys ahead',
}))

vi.mock('../src/rows/apply-changes.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../src/rows/apply-changes.ts')>()
  let heldBack: RowChange[] = []
  let calls = 0
  return {
    ...original,
    async applyChanges(context: ApplyContext, changes: readonly RowChange[]): Promise<void> {
      if (planted.fault === 'old key') {
        await original.applyChanges(
          context,
          changes.map((change) =>
            change.old && change.row
              ? { ...change, old: [...change.row.slice(0, -1), change.old.at(-1) ?? null] }
              : change,
          ),
        )
      } else if (planted.fault === 'torn') {
        const all = [...heldBack, ...changes]
        heldBack = all.splice(Math.max(1, all.length - 1)) // the last change of a transaction comes with the next one
        await original.applyChanges(context, all)
      } else if (planted.fault === 'lost') {
        if (++calls % 5 > 0) await original.applyChanges(context, changes)
      } else {
        if (planted.fault === 'keys ahead') await delay(15)
        await original.applyChanges(context, changes)
      }
    },
  }
})

vi.mock('../src/checkpoints/checkpoint-feed.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../src/checkpoints/checkpoint-feed.ts')>()
  let batches = 0
  return {
    ...original,
    createCheckpointFeed(): CheckpointFeed {
      const feed = original.createCheckpointFeed()
      const publish = feed.publish.bind(feed)
      feed.publish = (batch) =>
        publish(planted.fault === 'untold' && ++batches % 3 === 0 ? { ...batch, deltas: new Map() } : batch)
      return feed
    },
  }
})

vi.mock('../src/storage/pending-ops.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../src/storage/pending-ops.ts')>()
  return {
    ...original,
    supersededDoc: (op: PendingOp) => (planted.fault === 'content' ? op.doc : original.supersededDoc(op)),
  }
})

vi.mock('../src/checkpoints/wal-barrier.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../src/checkpoints/wal-barrier.ts')>()
  return {
    ...original,
    createWalBarrier(
      ...options: Parameters<typeof original.createWalBarrier>
    ): ReturnType<typeof original.createWalBarrier> {
      const walBarrier = original.createWalBarrier(...options)
      return {
        waitFor: async (lsn, signal) => (planted.fault === 'keys ahead' ? undefined : walBarrier.waitFor(lsn, signal)),
      }
    },
  }
})

afterEach(() => {
  planted.fault = 'none'
})

/** Runs histories until there are breaches. */
async function firstBreaches(options: WorldOptions = {}, plant = ''): Promise<string[]> {
  await using world = await openWorld(options)
  await world.run(plant)
  for (let seed = 1; seed <= 25; seed++) {
    const { history, followed } = await runHistory(world, seed, { settleMs: 1_500 })
    const breaches = followed.flatMap((one) => findBreaches(history, one))
    if (breaches.length > 0) return breaches
  }
  return []
}

describe('the checker finds', () => {
  test('a change of membership that was not noticed', async () => {
    const breaches = await firstBreaches({
      tamper: (plan) => ({
        ...plan,
        tables: plan.tables.map((table) => ({
          ...table,
          definitions: table.definitions.map((definition) => ({ ...definition, dependencies: [] })),
        })),
      }),
    })
    expect(breaches).toContainEqual(expect.stringMatching(/^(equality|end):/))
  })

  test('a row that was not taken out of the bucket it left', async () => {
    planted.fault = 'old key'
    expect(await firstBreaches()).toContainEqual(expect.stringMatching(/^(equality|end):/))
  })

  test('a transaction that came in two parts', async () => {
    planted.fault = 'torn'
    expect(await firstBreaches()).toContainEqual(expect.stringMatching(/^(equality|end):/))
  })

  test('a checkpoint with keys from later than its rows', async () => {
    planted.fault = 'keys ahead'
    expect(await firstBreaches()).toContainEqual(expect.stringMatching(/^equality:/))
  })

  test('changes that never came', async () => {
    planted.fault = 'lost'
    expect(await firstBreaches()).toContainEqual(expect.stringMatching(/^(equality|end):/))
  })

  test('a device that was not told of a change', async () => {
    planted.fault = 'untold'
    expect(await firstBreaches()).toContainEqual(expect.stringMatching(/^(equality|end|protocol):/))
  })

  // Other sync services send such versions: the device ends in the right state, but has received what its user was never allowed to see.
  test('old versions that are sent with the history of a bucket, although every checkpoint is right', async () => {
    planted.fault = 'content' // in memory, and in the log:
    const breaches = await firstBreaches(
      {},
      `create function public.keep_content() returns trigger language plpgsql as $$ begin new.doc := old.doc; return new; end $$;
       create trigger keep_content before update on sync.ops for each row execute function public.keep_content()`,
    )
    expect(breaches).not.toEqual([])
    for (const breach of breaches) expect(breach).toMatch(/^wire:/)
  })

  test('states in the wrong order, unknown versions and faults of the protocol', () => {
    const one = new Map([['items/1', '{"id":1}']])
    const two = new Map([['items/1', '{"id":2}']])
    const history = { seed: 0, shown: new Map([['u', [one, two]]]) }
    const device = {
      faults: ['checksum'],
      completed: [two, one].map((state) => ({ state })),
      state: one,
      received: ['items/1 {"id":3}'],
    }
    expect(findBreaches(history, { userId: 'u', device: device as never })).toEqual([
      'protocol: checksum',
      'order: checkpoint 1 is older than the one before',
      expect.stringContaining('end: the last state is not the present one') as string,
      'wire: a version that was never visible: items/1 {"id":3}',
    ])
  })

  test('no wrong order in a device that has no rows of new tables until they come whole', () => {
    const old = new Map([['items/1', '{"id":1}']])
    const both = new Map([...old, ['things/1', '{"id":1}']])
    const history = { seed: 0, shown: new Map([['u', [both, old]]]), hasNewTables: true }
    const device = {
      faults: [],
      completed: [old, both, old].map((state) => ({ state })),
      state: old,
      received: [],
    }
    expect(findBreaches(history, { userId: 'u', device: device as never })).toEqual([])
  })
})
