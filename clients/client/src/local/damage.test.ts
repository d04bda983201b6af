import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ana, notes, openWorld, write, type World, withDeviceWorlds } from './device-world.test-support.ts'
import { isDamage } from './damage.ts'
import type { KeyValueStore } from '../key-value.ts'
import type { LocalDatabase } from './local-database.ts'
import type { DamageReport } from './local-file.ts'

withDeviceWorlds()

const PAGE_BYTES = 4_096

/** Rows as received from the server, each on its own pages. */
async function fill(local: LocalDatabase): Promise<void> {
  await local.database.execute(`insert into ps_data__notes (id, data)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 400)
    select 'synced-' || i, json_object('body', 'ROWMARK ' || hex(zeroblob(200))) from n`)
}

/** Overwrites the pages of the closed database that contain `mark`, or the first page without one. */
function damage({ folder }: World, fileName: string, mark?: string): void {
  const path = join(folder, fileName)
  const bytes = readFileSync(path)
  let pages = 0
  for (let at = 0; at < bytes.length; at += PAGE_BYTES) {
    const page = bytes.subarray(at, at + PAGE_BYTES)
    if (mark === undefined ? at > 0 : !page.includes(mark)) continue
    page.fill(0xff)
    pages += 1
  }
  expect(pages).toBeGreaterThan(0)
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
  writeFileSync(path, bytes)
}

async function leave({ session, device }: World): Promise<void> {
  const state = device.state.get()
  // Everything is in one file then.
  if (state.kind === 'open') await state.local.database.execute('pragma wal_checkpoint(truncate)')
  session.set({ kind: 'signed_out' })
  await expect.poll(() => device.state.get().kind).toBe('none')
  await device.release({ wipe: false, discardUnsent: false })
}

/** The database that replaced the damaged one. */
async function replaced(world: World): Promise<LocalDatabase> {
  world.session.set(ana)
  const opened = await world.opened('a')
  // The screen's query hits the damage.
  opened.database.getAll('select body from notes').catch(() => undefined)
  await expect.poll(() => damageOf(world), { timeout: 60_000 }).toBeDefined()
  return world.opened('a')
}

/** Simulates `localStorage` in another process, where other tabs' writes appear with a delay. */
function late(store: KeyValueStore, byMs: number): KeyValueStore {
  const shown = new Map<string, string | null>()
  const changedAt = new Map<string, number>()
  return {
    async getItem(key) {
      const value = await store.getItem(key)
      const before = shown.get(key)
      if (before === undefined || before === value) changedAt.delete(key)
      else {
        if (!changedAt.has(key)) changedAt.set(key, Date.now())
        if (Date.now() - (changedAt.get(key) ?? 0) < byMs) return before
      }
      shown.set(key, value)
      return value
    },
    async setItem(key, value) {
      shown.set(key, value)
      await store.setItem(key, value)
    },
    removeItem: (key) => store.removeItem(key),
  }
}

function damageOf({ device }: World): DamageReport | undefined {
  const state = device.state.get()
  return state.kind === 'open' ? state.local.damage.get() : undefined
}

/** Fills a database, leaves one change unsent, and damages its file. @returns the unsent change */
async function damageWithOneWaiting(world: World): Promise<readonly unknown[]> {
  const before = await world.opened('a')
  await fill(before)
  await write(before, 'waits')
  const waiting = await queue(before)
  await leave(world)
  damage(world, 'holdfast-a.db', 'ROWMARK')
  return waiting
}

const queue = (local: LocalDatabase): Promise<readonly unknown[]> =>
  local.database.getAll(`select id, data ->> 'op' as op, data ->> 'data' as data from ps_crud order by id`)

describe('a database whose file is damaged', () => {
  test('is replaced; what was not sent is kept in its order and under its name, and later changes come after it', async () => {
    const world = await openWorld()
    const before = await world.opened('a')
    await fill(before)
    await write(before, 'first')
    await write(before, 'second')
    await before.database.execute(`update notes set body = 'changed' where id = 'synced-1'`)
    await before.database.execute(`insert into hf_local_settings (id, value) values ('mine', 'kept')`)
    const [waiting, clientId] = [await queue(before), await before.database.getClientId()]
    await leave(world)
    damage(world, 'holdfast-a.db', 'ROWMARK')

    const after = await replaced(world)
    expect(after.damage.get()).toEqual({ atMs: 1_000, kept: 3, isWhole: true, fileName: undefined })
    expect(await queue(after)).toEqual(waiting)
    expect(await after.database.getClientId()).toBe(clientId)
    expect(await notes(after)).toEqual([{ body: 'first' }, { body: 'second' }])
    const setting = await after.database.get(`select value from hf_local_settings where id = 'mine'`)
    expect(setting).toEqual({ value: 'kept' })
    await write(after, 'third')
    const transactions = []
    for await (const { crud } of after.database.getCrudTransactions())
      transactions.push(crud.map(({ opData }) => opData?.['body']))
    expect(transactions).toEqual([['first'], ['second'], ['changed'], ['third']])
    expect(readdirSync(world.folder)).not.toContain('holdfast-a.db')

    await after.dismissDamage()
    await leave(world)
    world.session.set(ana)
    const again = await world.opened('a')
    expect(again.damage.get()).toBeUndefined()
    expect((await again.countUnsent()).waiting).toBe(4)
  })

  test('that sent everything goes on counting: a position never names two changes', async () => {
    const world = await openWorld()
    const before = await world.opened('a')
    await fill(before)
    await write(before, 'sent')
    await (await before.database.getNextCrudTransaction())?.complete()
    await leave(world)
    damage(world, 'holdfast-a.db', 'ROWMARK')
    const after = await replaced(world)
    expect(after.damage.get()).toMatchObject({ kept: 0, isWhole: true })
    await write(after, 'next')
    expect(await queue(after)).toMatchObject([{ id: 2 }])
  })

  test('of which nothing can be read says so, and the file stays until the person knows', async () => {
    const world = await openWorld()
    await write(await world.opened('a'), 'lost')
    await leave(world)
    damage(world, 'holdfast-a.db')
    const after = await replaced(world)
    expect(after.damage.get()).toEqual({ atMs: 1_000, kept: 0, isWhole: false, fileName: 'holdfast-a.db' })
    await write(after, 'new')
    expect(await notes(after)).toEqual([{ body: 'new' }])
    expect(existsSync(join(world.folder, 'holdfast-a.db'))).toBe(true)
    await after.dismissDamage()
    expect(existsSync(join(world.folder, 'holdfast-a.db'))).toBe(false)
  })

  test('is replaced by one of two tabs that come back at once, however long that takes, and both go on with the new one', async () => {
    const { timeout } = AbortSignal
    const clock = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, ms / 5))
    onTestFinished(() => clock.mockRestore())
    let isFirst = true
    // Longer than a tab waits for others to close the file.
    const slowly = async (fileName: string): Promise<void> => {
      if (fileName !== 'holdfast-a-1.db' || !isFirst) return
      isFirst = false
      await delay(1_400)
    }
    const world = await openWorld(ana, { beforeOpen: slowly })
    const other = await openWorld({ kind: 'signed_out' }, { beside: world, beforeOpen: slowly })
    const waiting = await damageWithOneWaiting(world)

    const [mine, theirs] = await Promise.all([replaced(world), replaced(other)])
    for (const local of [mine, theirs]) {
      expect(local.damage.get()).toMatchObject({ kept: 1, isWhole: true })
      expect(await queue(local)).toEqual(waiting)
    }
    await write(mine, 'of one')
    await expect.poll(() => notes(theirs)).toEqual([{ body: 'waits' }, { body: 'of one' }])
    expect(readdirSync(world.folder)).not.toContain('holdfast-a.db')
  })

  test('is not opened anew by a tab that waited for another one to replace it', async () => {
    const { promise: replacing, resolve: replace } = Promise.withResolvers<void>()
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
    const world = await openWorld(ana, {
      async beforeOpen(fileName) {
        if (fileName !== 'holdfast-a-1.db') return
        replace()
        await mayGoOn
      },
    })
    await damageWithOneWaiting(world)
    const first = replaced(world)
    await replacing
    const opened: string[] = []
    const other = await openWorld(ana, { beside: world, beforeOpen: async (fileName) => void opened.push(fileName) })
    await delay(500)
    goOn()
    await first
    expect(await notes(await other.opened('a'))).toEqual([{ body: 'waits' }])
    expect(opened).toEqual(['holdfast-a-1.db'])
  })

  test('is replaced once although another tab hears late of what this one has stored', async () => {
    const world = await openWorld()
    const other = await openWorld({ kind: 'signed_out' }, { beside: world, store: late(world.store, 1_000) })
    const waiting = await damageWithOneWaiting(world)

    const [mine, theirs] = await Promise.all([replaced(world), replaced(other)])
    for (const local of [mine, theirs]) {
      expect(local.damage.get()).toMatchObject({ kept: 1, isWhole: true })
      expect(await queue(local)).toEqual(waiting)
    }
    await write(mine, 'of one')
    await expect.poll(() => notes(theirs)).toEqual([{ body: 'waits' }, { body: 'of one' }])
  })

  test('is left for the new one by a tab that opens it before it has heard of that', async () => {
    const world = await openWorld()
    await damageWithOneWaiting(world)
    await replaced(world)
    const opened: string[] = []
    let hasHeard = false
    const { store } = world
    const getItem = async (key: string): Promise<string | null> =>
      key === 'holdfast-file-a' && !hasHeard ? null : store.getItem(key)
    const other = await openWorld(ana, {
      beside: world,
      store: { ...store, getItem },
      async beforeOpen(fileName) {
        opened.push(fileName)
        hasHeard = true
      },
    })
    expect(await notes(await other.opened('a'))).toEqual([{ body: 'waits' }])
    expect(opened).toEqual(['holdfast-a.db', 'holdfast-a-1.db'])
  })

  test('keeps the changes before and after the damage where the outbox itself is damaged', async () => {
    const world = await openWorld()
    const before = await world.opened('a')
    for (let count = 0; count < 60; count += 1) {
      const mark = count === 30 ? 'BADMARK' : 'note'
      await write(before, `${mark} ${count} ${'x'.repeat(1_000)}`)
    }
    await before.database.execute('delete from ps_data__notes')
    await before.database.execute('delete from ps_updated_rows')
    await leave(world)
    damage(world, 'holdfast-a.db', 'BADMARK')
    world.session.set(ana)
    const opened = await world.opened('a')
    opened.database.getAll('select * from ps_crud').catch(() => undefined)
    await expect.poll(() => damageOf(world), { timeout: 60_000 }).toBeDefined()
    const after = await world.opened('a')
    const report = after.damage.get()
    expect(report).toMatchObject({ isWhole: false, fileName: 'holdfast-a.db' })
    expect(report?.kept).toBeGreaterThan(50)
    expect(report?.kept).toBeLessThan(60)
    const ids = (await after.database.getAll<{ id: number }>('select id from ps_crud order by id')).map(({ id }) => id)
    expect([ids[0], ids.at(-1)]).toEqual([1, 60])
  })
})

test('damage is what SQLite says of the file, not of a value in it', () => {
  expect(isDamage(new Error('database disk image is malformed'))).toBe(true)
  expect(isDamage(new Error('while reading', { cause: new Error('file is not a database') }))).toBe(true)
  expect(isDamage(new Error('malformed JSON'))).toBe(false)
})
