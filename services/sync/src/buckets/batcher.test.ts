import { describe, expect, test } from 'vitest'
import { createBatcher } from './batcher.ts'

function world(
  options: { readonly concurrency?: number; readonly questionsMax?: number; readonly shares?: boolean } = {},
) {
  const asked: { readonly questions: readonly string[]; answer(): void; fail(error: Error): void }[] = []
  const batcher = createBatcher<string, string>({
    concurrency: options.concurrency ?? 1,
    questionsMax: options.questionsMax ?? 10,
    ask: (questions) =>
      new Promise((resolve, reject) => {
        asked.push({ questions, answer: () => resolve(questions.map((one) => `${one}!`)), fail: reject })
      }),
    ...(options.shares ? { idOf: (question: string) => question } : {}),
  })
  return { asked, batcher }
}

describe('a batcher', () => {
  test('asks at once when there is a place, and those that come meanwhile together', async () => {
    const { asked, batcher } = world()
    const first = batcher('a')
    const others = [batcher('b'), batcher('c')]
    expect(asked.map(({ questions }) => questions)).toEqual([['a']])
    asked[0]?.answer()
    expect(await first).toBe('a!')
    asked[1]?.answer()
    expect(await Promise.all(others)).toEqual(['b!', 'c!'])
    expect(asked.map(({ questions }) => questions)).toEqual([['a'], ['b', 'c']])
  })

  test('takes as many at once as it may, in the order in which they came', async () => {
    const { asked, batcher } = world({ concurrency: 2, questionsMax: 2 })
    const answers = ['a', 'b', 'c', 'd', 'e'].map(batcher)
    for (let turn = 0; turn < 4; turn++) {
      asked[turn]?.answer()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(asked.map(({ questions }) => questions)).toEqual([['a'], ['b'], ['c', 'd'], ['e']])
    expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!', 'd!', 'e!'])
  })

  test('asks equal questions that wait once, and never answers with what was under way', async () => {
    const { asked, batcher } = world({ shares: true })
    const answers = [batcher('a'), batcher('a'), batcher('a'), batcher('b')]
    asked[0]?.answer()
    await answers[0]
    expect(asked.map(({ questions }) => questions)).toEqual([['a'], ['a', 'b']])
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
})
