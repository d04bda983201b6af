import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextTurn } from '../next-turn.ts'
import { AdmissionError, Semaphore, type GroupLimits, type Release } from './semaphore.ts'

const IDLE = { held: 0, waiting: 0, keys: 0 }

/** Acquires without waiting for the outcome. `served` lists the keys that hold or held a permit, in order. */
function client<Group extends string>(semaphore: Semaphore<Group>) {
  const served: string[] = []
  const releases: Release[] = []
  return {
    served,
    releases,
    async ask(key: string, group?: Group): Promise<void> {
      const release = await semaphore.acquire({ key, ...(group !== undefined && { group }) })
      served.push(key)
      releases.push(release)
    },
  }
}

const times = (count: number, body: () => unknown): void => {
  for (let done = 0; done < count; done++) void body()
}

describe('a key', () => {
  test('that comes later is served before the rest of another key’s queue', async () => {
    const { ask, served, releases } = client(new Semaphore({ permits: 1 }))
    times(100, () => ask('greedy'))
    void ask('modest')
    for (let done = 0; done < 3; done++) {
      await nextTurn()
      releases.at(-1)?.()
    }
    expect(served.slice(0, 3)).toEqual(['greedy', 'greedy', 'modest'])
  })

  test('is served before keys that hold permits', async () => {
    const { ask, served, releases } = client(new Semaphore({ permits: 4 }))
    times(100, () => ask('greedy'))
    times(2, () => ask('modest'))
    await nextTurn()
    releases[0]?.()
    await nextTurn()
    releases[1]?.()
    await nextTurn()
    expect(served).toEqual([...Array<string>(4).fill('greedy'), 'modest', 'modest'])
  })

  test('holds only as many permits as it leaves free, where that is the rule', async () => {
    const semaphore = new Semaphore({ permits: 10, leavesRoom: true })
    const { ask, served } = client(semaphore)
    times(100, () => ask('greedy'))
    await nextTurn()
    expect(served).toHaveLength(5)
    await ask('modest')
    expect(semaphore.usage()).toMatchObject({ held: 6, waiting: 95 })
    expect(await new Semaphore({ permits: 1, leavesRoom: true }).run({ key: 'only' }, () => 'done')).toBe('done')
  })

  test('holds no more than its own limit', async () => {
    const { ask, served } = client(new Semaphore({ permits: 10, perKeyMax: 2 }))
    times(10, () => ask('greedy'))
    await nextTurn()
    expect(served).toHaveLength(2)
    await ask('modest')
  })
})

describe('a group', () => {
  const groups = {
    rest: { reserved: 4, max: 7 },
    streams: { reserved: 2, max: 8 },
    uploads: { reserved: 1, max: 3, perKeyMax: 2 },
  }

  test('finds its reserved permits free while another group asks for all of them', async () => {
    const semaphore = new Semaphore({ permits: 10, groups })
    const { ask, served } = client(semaphore)
    for (let key = 0; key < 50; key++) void ask(`user ${key}`, 'rest')
    await nextTurn()
    expect(served).toHaveLength(7)
    await Promise.all([ask('a', 'streams'), ask('b', 'streams'), ask('c', 'uploads')])
    expect(semaphore.usage().held).toBe(10)
  })

  test('never holds more than its maximum, even if all other permits are free', async () => {
    const { ask, served } = client(new Semaphore({ permits: 10, groups }))
    for (let key = 0; key < 50; key++) void ask(`user ${key}`, 'uploads')
    await nextTurn()
    expect(served).toHaveLength(3)
  })

  test('bounds its keys by its own limit', async () => {
    const { ask, served } = client(new Semaphore({ permits: 10, groups }))
    times(10, () => ask('greedy', 'uploads'))
    await nextTurn()
    expect(served).toHaveLength(2)
  })

  test('furthest below its reserved permits is served next', async () => {
    const limits = { reserved: 1, max: 2 }
    const { ask, served, releases } = client(new Semaphore({ permits: 2, groups: { rest: limits, uploads: limits } }))
    await Promise.all([ask('a', 'uploads'), ask('b', 'rest')])
    void ask('c', 'uploads')
    void ask('d', 'uploads')
    void ask('e', 'rest')
    releases[0]?.()
    await nextTurn()
    expect(served).toEqual(['a', 'b', 'c'])
  })

  test('that is urgent is served before all others', async () => {
    const semaphore = new Semaphore({ permits: 3, groups: { bulk: { max: 2 }, urgent: { isUrgent: true } } })
    const { ask, served, releases } = client(semaphore)
    for (const key of ['b1', 'b2', 'b3']) void ask(key, 'bulk')
    for (const key of ['u1', 'u2', 'u3']) void ask(key, 'urgent')
    for (let done = 0; done < 3; done++) {
      await nextTurn()
      releases[done]?.()
    }
    await nextTurn()
    expect(served).toEqual(['b1', 'b2', 'u1', 'u2', 'u3', 'b3'])
  })
})

describe('a request', () => {
  test('is refused at once when its permits are not free', () => {
    const semaphore = new Semaphore({ permits: 8, leavesRoom: true })
    const release = semaphore.acquireNow({ key: 'ada' }, 4)
    expect(semaphore.tryAcquire({ key: 'bob' }, 3)).toBeUndefined()
    semaphore.acquireNow({ key: 'bob' }, 2)
    release()
    release() // counts once
    expect(() => semaphore.acquireNow({ key: 'bob' }, 3)).toThrow(new AdmissionError('key'))
    semaphore.acquireNow({ key: 'bob' }, 2)
    semaphore.acquireNow({}, 4)
    expect(() => semaphore.acquireNow({})).toThrow(new AdmissionError('permits'))
  })

  test('of keys that never stop asking leaves permits for others', () => {
    const semaphore = new Semaphore({ permits: 8, leavesRoom: true })
    const fill = (key: string): number => {
      let count = 0
      while (semaphore.tryAcquire({ key })) count++
      return count
    }
    expect([fill('ada'), fill('bob'), fill('eve')]).toEqual([4, 2, 1])
    expect(semaphore.tryAcquire()).toBeDefined()
  })

  test('is refused when too many wait, in the words of the caller', async () => {
    const semaphore = new Semaphore({ permits: 1, waitingMax: 1, refuse: (reason) => new Error(`no: ${reason}`) })
    const release = await semaphore.acquire()
    const waiting = semaphore.acquire()
    await expect(semaphore.acquire()).rejects.toThrow('no: waiting')
    release()
    expect(await waiting).toBeDefined()
  })

  test('stops waiting after its time-out', async () => {
    const semaphore = new Semaphore({ permits: 1 })
    const release = await semaphore.acquire({ key: 'ada' })
    await expect(semaphore.acquire({ key: 'bob', timeoutMs: 1 })).rejects.toThrow(new AdmissionError('timeout'))
    release()
    expect(semaphore.usage()).toEqual(IDLE)
  })

  test('stops waiting when its signal aborts', async () => {
    const semaphore = new Semaphore({ permits: 1 })
    const release = await semaphore.acquire({ key: 'ada' })
    const gone = new AbortController()
    const waiting = semaphore.acquire({ key: 'bob', signal: gone.signal })
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await expect(semaphore.acquire({ key: 'bob', signal: gone.signal })).rejects.toThrow('gone')
    release()
    expect(semaphore.usage()).toEqual(IDLE)
  })

  test('gives its permit back when its work fails', async () => {
    const semaphore = new Semaphore({ permits: 1 })
    await expect(semaphore.run({}, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await semaphore.run({}, () => 'next')).toBe('next')
  })

  test('that holds the only permit for a turn of the event loop lets everything else run in between', async () => {
    const semaphore = new Semaphore({ permits: 1 })
    const done: string[] = []
    const work = async (name: string): Promise<void> => {
      for (let line = 1; line <= 2; line++) {
        await semaphore.run({}, nextTurn)
        done.push(`${name}${line}`)
      }
    }
    const all = Promise.all(['a', 'b', 'c'].map(work))
    for (let before = 0; done.length < 6; before = done.length) {
      await nextTurn()
      expect(done.length - before).toBeLessThanOrEqual(1)
    }
    await all
    expect(done).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2'])
  })
})

/*
 * Random histories against a model that keeps nothing but the lists of held and waiting requests. After each step: no limit is exceeded, and no request waits that
 * could be granted (a lost wake-up). Without groups, no key is served twice between another key's first request and its grant. In the end nothing is left.
 */

type Name = 'a' | 'b'
type Step =
  | {
      readonly kind: 'acquire' | 'try'
      readonly key: string | undefined
      readonly group: Name
      readonly weight: number
    }
  | { readonly kind: 'release' | 'abort'; readonly at: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('acquire' as const, 'acquire' as const, 'try' as const),
    key: fc.constantFrom('x', 'x', 'x', 'y', 'z', undefined),
    group: fc.constantFrom<Name>('a', 'b'),
    weight: fc.constantFrom(1, 2, 3),
  }),
  fc.record({ kind: fc.constantFrom('release' as const, 'release' as const, 'abort' as const), at: fc.nat(20) }),
)

const group: fc.Arbitrary<Required<GroupLimits>> = fc.record({
  reserved: fc.nat(2),
  max: fc.integer({ min: 2, max: 5 }),
  perKeyMax: fc.constantFrom(1, 2, Infinity),
  isUrgent: fc.boolean(),
})

interface Request {
  readonly key: string | undefined
  readonly group: Name
  readonly weight: number
  readonly gone: AbortController
  /** Keys served since the request came, when its key had nothing held or waiting. */
  readonly overtakenBy: (string | undefined)[] | undefined
  release: Release | undefined
}

interface Limits {
  readonly permits: number
  readonly leavesRoom: boolean
  readonly groups: Readonly<Record<Name, Required<GroupLimits>>>
}

const permitsOf = (requests: readonly Request[]): number => requests.reduce((sum, { weight }) => sum + weight, 0)

function mayHold(held: readonly Request[], { key, group: name, weight }: Request, limits: Limits): boolean {
  const own = limits.groups[name]
  const inGroup = held.filter((one) => one.group === name)
  const others = held.filter((one) => one.group !== name)
  const kept = Math.max(0, limits.groups[name === 'a' ? 'b' : 'a'].reserved - permitsOf(others))
  const left = limits.permits - permitsOf(held) - weight
  if (left < kept || permitsOf(inGroup) + weight > own.max) return false
  if (key === undefined) return true
  if (permitsOf(inGroup.filter((one) => one.key === key)) + weight > own.perKeyMax) return false
  return !limits.leavesRoom || permitsOf(held.filter((one) => one.key === key)) + weight <= left + 1
}

async function play(limits: Limits, steps: readonly Step[], isFair: boolean): Promise<void> {
  const semaphore = new Semaphore({ ...limits })
  const held: Request[] = []
  let waiting: Request[] = []
  const outcomes: Promise<void>[] = []
  const take = (request: Request, release: Release): void => {
    expect(mayHold(held, request, limits)).toBe(true)
    request.release = release
    waiting = waiting.filter((one) => one !== request)
    held.push(request)
    for (const { overtakenBy } of waiting) overtakenBy?.push(request.key)
    if (isFair) {
      const others = (request.overtakenBy ?? []).filter((key) => key !== undefined)
      expect(new Set(others).size).toBe(others.length)
    }
  }
  const begin = ({ kind, key, group: name, ...one }: Extract<Step, { key: unknown }>): void => {
    const isFirst = key !== undefined && [...held, ...waiting].every((one) => one.key !== key)
    const gone = new AbortController()
    const weight = kind === 'try' ? one.weight : 1
    const overtakenBy = isFirst ? [] : undefined
    const request: Request = { key, group: name, weight, gone, overtakenBy, release: undefined }
    if (kind === 'try') {
      const release = semaphore.tryAcquire({ key, group: name }, weight)
      if (release) take(request, release)
      else expect(mayHold(held, request, limits)).toBe(false)
      return
    }
    waiting.push(request)
    const outcome = semaphore.acquire({ key, group: name, signal: gone.signal }).then(
      (release) => take(request, release),
      () => void (waiting = waiting.filter((other) => other !== request)),
    )
    outcomes.push(outcome)
  }
  for (const one of steps) {
    if (one.kind === 'release') held.splice(one.at % Math.max(1, held.length), 1)[0]?.release?.()
    else if (one.kind === 'abort') waiting[one.at % Math.max(1, waiting.length)]?.gone.abort()
    else begin(one as Extract<Step, { key: unknown }>)
    await nextTurn()
    expect(semaphore.usage()).toMatchObject({ held: permitsOf(held), waiting: waiting.length })
    expect(waiting.filter((request) => mayHold(held, request, limits))).toEqual([])
  }
  while (held.length > 0) {
    held.shift()?.release?.()
    await nextTurn()
  }
  expect(waiting).toEqual([])
  await Promise.all(outcomes)
  expect(semaphore.usage()).toEqual(IDLE)
}

describe('in random histories', () => {
  test('groups and keys stay within their limits, and nobody waits in vain', async () => {
    const limits = fc.record({
      permits: fc.integer({ min: 4, max: 6 }),
      leavesRoom: fc.boolean(),
      groups: fc.record({ a: group, b: group }),
    })
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 60, size: 'max' }), (given, steps) =>
        play(given, steps, false),
      ),
      { numRuns: runsOf(200) },
    )
  })

  test('a key that floods the queue delays the first request of another key by one permit at most', async () => {
    const limits = fc.record({ permits: fc.integer({ min: 1, max: 4 }), leavesRoom: fc.boolean() })
    const free: Required<GroupLimits> = { reserved: 0, max: Infinity, perKeyMax: Infinity, isUrgent: false }
    const inOneGroup = fc
      .array(step, { maxLength: 60, size: 'max' })
      .map((steps) => steps.map((one) => ({ ...one, group: 'a' }) as Step))
    await fc.assert(
      fc.asyncProperty(limits, inOneGroup, (given, steps) =>
        play({ ...given, groups: { a: free, b: free } }, steps, true),
      ),
      { numRuns: runsOf(200) },
    )
  })
})
