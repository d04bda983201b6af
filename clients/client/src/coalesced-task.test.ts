import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CoalescedTask, transition, type TaskEvent, type TaskState } from './coalesced-task.ts'

describe('the state of a task', () => {
  test.each<[string, readonly TaskEvent[], TaskState, number]>([
    [
      'starts at the first request, and not at those during its run',
      ['requested', 'requested', 'requested'],
      'outdated',
      1,
    ],
    [
      'runs once more for all requests during its run',
      ['requested', 'requested', 'requested', 'run ended'],
      'running',
      2,
    ],
    ['is idle after a run without requests', ['requested', 'run ended', 'run ended'], 'idle', 1],
    [
      'starts nothing when it ends during its run',
      ['requested', 'requested', 'ended', 'run ended', 'requested'],
      'ended',
      1,
    ],
    ['starts nothing when it ended before', ['ended', 'requested', 'ended', 'requested'], 'ended', 0],
  ])('%s', (_title, events, state, starts) => {
    let now: TaskState = 'idle'
    let started = 0
    for (const event of events) {
      const next = transition(now, event)
      now = next.state
      if (next.isStarting) started++
    }
    expect([now, started]).toEqual([state, starts])
  })

  test('after each request a run begins before the task is idle, and never two at once', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean()), (requests) => {
        let now: TaskState = 'idle'
        let isRunning = false
        let isUnseen = false
        for (const isRequest of [...requests, false, false]) {
          if (!isRequest && !isRunning) continue
          const next = transition(now, isRequest ? 'requested' : 'run ended')
          now = next.state
          if (isRequest) isUnseen = true
          else isRunning = false
          if (next.isStarting) {
            expect(isRunning).toBe(false)
            isRunning = true
            isUnseen = false
          }
        }
        expect([now, isUnseen]).toEqual(['idle', false])
      }),
    )
  })
})

describe('a coalesced task', () => {
  /** A task whose runs the test ends, one after another. */
  function openTask(): { readonly task: CoalescedTask; readonly runs: PromiseWithResolvers<void>[] } {
    const runs: PromiseWithResolvers<void>[] = []
    const task = new CoalescedTask(() => {
      const run = Promise.withResolvers<void>()
      runs.push(run)
      return run.promise
    })
    return { task, runs }
  }
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  test('resolves a request during a run after the run that follows', async () => {
    const { task, runs } = openTask()
    void task.request()
    let isDone = false
    const second = task.request().then(() => (isDone = true))
    runs[0]?.resolve()
    await settle()
    expect([runs.length, isDone]).toEqual([2, false])
    runs[1]?.resolve()
    await second
    expect(runs).toHaveLength(2)
  })

  test('runs again for a request during a run that fails, and fails only with the last one', async () => {
    const { task, runs } = openTask()
    const first = task.request()
    void task.request()
    runs[0]?.reject(new Error('the database is busy'))
    await settle()
    runs[1]?.resolve()
    await expect(first).resolves.toBeUndefined()

    const next = task.request()
    runs[2]?.reject(new Error('the database is closed'))
    await expect(next).rejects.toThrow('the database is closed')
  })

  test('runs for a request after a failure', async () => {
    const { task, runs } = openTask()
    const failed = task.request()
    runs[0]?.reject(new Error('failed'))
    await expect(failed).rejects.toThrow('failed')
    const next = task.request()
    runs[1]?.resolve()
    await next
    expect(runs).toHaveLength(2)
  })

  test('does not run again once it has ended', async () => {
    const { task, runs } = openTask()
    const first = task.request()
    void task.request()
    task.end()
    runs[0]?.reject(new Error('failed'))
    await expect(first).rejects.toThrow('failed')
    await task.request()
    expect([runs.length, task.hasEnded]).toEqual([1, true])
  })
})
