import { describeSyncState, type SyncState } from '@holdfast/client'
import { differences, openDevice, openFaultyLink, openHoldfast } from '@holdfast/test-support'
import type { Holdfast, TestDevice } from '@holdfast/test-support'
import { afterAll, beforeAll, test } from 'vitest'

/** In milliseconds. A dead connection is noticed within 15 s; busy machines take longer. */
const NOTICE_MS = 60_000
const RECOVER_MS = 60_000

let holdfast: Holdfast
beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
})
afterAll(() => holdfast[Symbol.asyncDispose]())

test.concurrent('the sync state reports an open but dead connection, and the change is uploaded once it recovers', async ({
  expect,
}) => {
  await using link = await openFaultyLink(holdfast.url)
  await using device = await openDevice({ ...holdfast, url: link.url }, { email: 'dana.okafor@northline.example' })
  await reaches(device, 'up_to_date', RECOVER_MS)

  link.stall()
  await device.database.execute(
    `update actions set title = 'Written to a dead line' where id = (select min(id) from actions)`,
  )
  const seen = statesOf(device)
  await reaches(device, 'no_answer', NOTICE_MS)
  expect(seen.map(({ kind }) => kind)).not.toContain('up_to_date')
  expect(seen.map(({ kind }) => kind)).not.toContain('offline')
  const state = device.local.sync.get()
  expect(state).toMatchObject({ kind: 'no_answer', waiting: 1 })
  expect(describeSyncState(state)).toMatch(/^No answer since /)

  link.flow()
  await reaches(device, 'up_to_date', RECOVER_MS)
  // The change is on the server and returns with the next checkpoint.
  await expect.poll(() => differences(device, ['actions'])).toEqual([])
})

test.concurrent('an upload without a response times out and is repeated once', async ({ expect }) => {
  await using link = await openFaultyLink(holdfast.url)
  await using device = await openDevice({ ...holdfast, url: link.url }, { email: 'dana.okafor@northline.example' })
  await reaches(device, 'up_to_date', RECOVER_MS)

  link.swallow()
  await device.database.execute(`update actions set title = 'Swallowed' where id = (select max(id) from actions)`)
  await reaches(device, 'no_answer', NOTICE_MS)
  link.flow()
  await reaches(device, 'up_to_date', RECOVER_MS)
  // The change is on the server and returns with the next checkpoint.
  await expect.poll(() => differences(device, ['actions'])).toEqual([])
})

function statesOf({ local }: TestDevice): readonly SyncState[] {
  const seen: SyncState[] = []
  local.sync.subscribe(() => void seen.push(local.sync.get()))
  return seen
}

function reaches({ local }: TestDevice, kind: SyncState['kind'], withinMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => finish(new Error(`waited ${withinMs} ms for ${kind}: ${JSON.stringify(local.sync.get())}`)),
      withinMs,
    )
    const stop = local.sync.subscribe(look)
    look()

    function look(): void {
      if (local.sync.get().kind === kind) finish()
    }
    function finish(error?: Error): void {
      clearTimeout(timer)
      queueMicrotask(() => stop())
      if (error) reject(error)
      else resolve()
    }
  })
}
