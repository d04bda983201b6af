import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextTurn } from '../next-turn.ts'
import { createBatcher } from './batcher.ts'

function world(options: { readonly concurrency?: number; readonly batchMax?: number; readonly shares?: boolean } = {}) {
  const asked: { readonly requests: readonly string[]; answer(): void; fail(error: Error): void }[] = []
  const batcher = createBatcher<string, string>({
    concurrency: options.concurrency ?? 1,
    batchMax: options.batchMax ?? 10,
    run: (requests) =>
      new Promise((resolve, reject) => {
        asked.push({ requests, answer: () => resolve(requests.map((one) => `${one}!`)), fail: reject })
      }),
    ...(options.shares ? { keyOf: (request: string) => request } : {}),
  })
  return { asked, batcher }
}

describe('a batcher', () => {
  test('asks at once when there is a place, and those that come meanwhile together', async () => {
    const { asked, batcher } = world()
    const first = batcher('a')
    const others = [batcher('b'), batcher('c')]
    expect(asked.map(({ requests }) => requests)).toEqual([['a']])
    asked[0]?.answer()
    expect(await first).toBe('a!')
    asked[1]?.answer()
    expect(await Promise.all(others)).toEqual(['b!', 'c!'])
    expect(asked.map(({ requests }) => requests)).toEqual([['a'], ['b', 'c']])
  })

  test('takes as many at once as it may, in the order in which they came', async () => {
    const { asked, batcher } = world({ concurrency: 2, batchMax: 2 })
    const answers = ['a', 'b', 'c', 'd', 'e'].map(batcher)
    for (let turn = 0; turn < 4; turn++) {
      asked[turn]?.answer()
      await nextTurn()
    }
    expect(asked.map(({ requests }) => requests)).toEqual([['a'], ['b'], ['c', 'd'], ['e']])
    expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!', 'd!', 'e!'])
  })

  test('asks equal requests that wait once, and never answers with what was under way', async () => {
    const { asked, batcher } = world({ shares: true })
    const answers = [batcher('a'), batcher('a'), batcher('a'), batcher('b')]
    asked[0]?.answer()
    await answers[0]
    expect(asked.map(({ requests }) => requests)).toEqual([['a'], ['a', 'b']])
    asked[1]?.answer()
    expect(await Promise.all(answers)).toEqual(['a!', 'a!', 'a!', 'b!'])
  })

  test('tells everybody of a failure, and goes on', async () => {
    const { asked, batcher } = world()
    const first = batcher('a')
    const others = [batcher('b'), batcher('c')]
    asked[0]?.fail(new Error('no'))
    await expect(first).rejects.toThrow('no')
    asked[1]?.answer()
    expect(await Promise.all(others)).toEqual(['b!', 'c!'])
  })

  test('puts requests of one task into one batch, where that is wanted', async () => {
    const batches: (readonly string[])[] = []
    const batcher = createBatcher<string, string>({
      concurrency: 1,
      batchMax: 10,
      collectsTask: true,
      run: async (requests) => {
        batches.push(requests)
        return requests
      },
    })
    expect(await Promise.all([batcher('a'), batcher('b')])).toEqual(['a', 'b'])
    expect(batches).toEqual([['a', 'b']])
  })

  test('answers every request from a batch that began after it, within its limits, whatever comes and fails', async () => {
    const history = fc.array(fc.constantFrom('a', 'b', 'c', 'end', 'fail'), { maxLength: 60 })
    const limits = fc.record({
      concurrency: fc.integer({ min: 1, max: 3 }),
      batchMax: fc.integer({ min: 1, max: 3 }),
      collectsTask: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(limits, history, async (given, steps) => {
        const running: PromiseWithResolvers<void>[] = []
        let clock = 0
        const batcher = createBatcher<string, readonly [string, number]>({
          ...given,
          keyOf: (request) => request,
          async run(requests) {
            const began = ++clock
            expect(requests.length).toBeLessThanOrEqual(given.batchMax)
            expect(new Set(requests).size).toBe(requests.length)
            const end = Promise.withResolvers<void>()
            running.push(end)
            expect(running.length).toBeLessThanOrEqual(given.concurrency)
            await end.promise
            return requests.map((request) => [request, began] as const)
          },
        })
        const outcomes: Promise<unknown>[] = []
        for (const step of steps) {
          if (step === 'end') running.shift()?.resolve()
          else if (step === 'fail') running.shift()?.reject(new Error('failed'))
          else {
            const asked = ++clock
            const outcome = batcher(step).then(
              ([request, began]) => {
                expect(request).toBe(step)
                expect(began).toBeGreaterThan(asked)
              },
              (error: unknown) => expect(error).toEqual(new Error('failed')),
            )
            outcomes.push(outcome)
          }
          await nextTurn()
        }
        for (let end = running.shift(); end; end = running.shift()) {
          end.resolve()
          await nextTurn()
        }
        await Promise.all(outcomes)
      }),
      { numRuns: runsOf(200) },
    )
  })
})
