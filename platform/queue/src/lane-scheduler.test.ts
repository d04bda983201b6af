import { describe, expect, test } from 'vitest'
import type { Lane } from './queue-table.ts'
import { LaneScheduler } from './lane-scheduler.ts'

const lane = (receiver: string, source = 'role anon'): Lane => [receiver, source]

describe('slots', () => {
  test('are shared one by one among those who have requests, with a bound for one receiver', () => {
    const turns = new LaneScheduler(16, 4)
    const [a, b, other] = [lane('a'), lane('b'), lane('a', 'table public.t')]
    expect(turns.share([a, b, other])).toEqual(
      new Map([
        [a, 2],
        [b, 4],
        [other, 2],
      ]),
    )
  })

  test('that a receiver holds leave the rest to others, also when it is the only one that has more', () => {
    const turns = new LaneScheduler(8, 2)
    for (const hanging of ['a', 'b', 'c']) for (let count = 0; count < 2; count++) turns.begin(lane(hanging))
    expect(turns.free).toBe(2)
    expect(turns.share([lane('a'), lane('b'), lane('c')]).size).toBe(0)
    expect([...turns.share([lane('a'), lane('z')]).entries()]).toEqual([[lane('z'), 2]])
    turns.end(lane('a'))
    expect([...turns.share([lane('a')]).entries()]).toEqual([[lane('a'), 1]])
  })

  test('go to those whose last turn is the longest ago, whatever their names are', () => {
    const turns = new LaneScheduler(4, 1)
    const lanes = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => lane(name))
    const served: string[] = []
    for (let round = 0; round < 3; round++) {
      const wanted = [...turns.share(lanes).keys()]
      for (const one of wanted) {
        served.push(one[0] ?? '')
        turns.begin(one)
      }
      for (const one of wanted) turns.end(one)
    }
    expect(served.join('')).toBe('abcdefabcdef')
  })

  test('are one of each at least, however few there are', () => {
    expect([...new LaneScheduler(1, 1).share([lane('a'), lane('b')]).values()]).toEqual([1])
  })
})
