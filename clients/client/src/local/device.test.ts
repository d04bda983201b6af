import { describe, expect, test, vi } from 'vitest'
import { memoryStore, type KeyValueStore } from '../key-value.ts'
import { cachedSchema, cacheSchema } from '../schema/fetch-schema.ts'
import { ana, ben, notes, openWorld, write, withDeviceWorlds } from './device-world.test-support.ts'
import { UnsentChanges } from './unsent-changes.ts'

withDeviceWorlds()

describe('a device', () => {
  test('opens the database of the person who is signed in, and none before that is known', async () => {
    const world = await openWorld({ kind: 'booting' })
    expect(world.device.state.get()).toEqual({ kind: 'none' })
    world.session.set(ana)
    await write(await world.opened('a'), 'mine')
    expect(world.people.people.get()).toMatchObject([{ id: 'a', email: 'ana@example.org' }])
  })

  test('shows each person their own rows, and keeps what waits for both', async () => {
    const world = await openWorld()
    await write(await world.opened('a'), 'of Ana')
    world.session.set(ben)
    const own = await world.opened('b')
    expect(await notes(own)).toEqual([])
    await write(own, 'of Ben')
    world.session.set({ kind: 'expired', user: { id: 'a', email: 'ana@example.org' } })
    expect(await notes(await world.opened('a'))).toEqual([{ body: 'of Ana' }])
    expect(world.people.people.get().map(({ id, unsent }) => [id, unsent])).toContainEqual(['b', 1])
  })

  test('keeps the same database open through a second factor and an ended session', async () => {
    const world = await openWorld()
    const before = await world.opened('a')
    world.session.set({ kind: 'second_factor', user: { id: 'a', email: undefined } })
    world.session.set({ kind: 'expired', user: { id: 'a', email: undefined } })
    expect(await world.opened('a')).toBe(before)
  })

  test('opens without a table that the SDK cannot create, and says which it is', async () => {
    const world = await openWorld()
    await write(await world.opened('a'), 'mine')
    const schema = await cachedSchema(world.store, 'a')
    const [table] = schema?.tables ?? []
    if (!schema || !table) throw new Error('it has a table')
    await (await world.opened('a')).database.execute('create table taken (x)')
    await world.device[Symbol.asyncDispose]()
    const again = await openWorld({ kind: 'booting' }, { beside: world })
    await cacheSchema(world.store, 'a', { version: '2', tables: [table, { ...table, name: 'taken', table: 'taken' }] })
    again.session.set(ana)
    const local = await again.opened('a')
    expect(await notes(local)).toEqual([{ body: 'mine' }])
    expect((await local.countUnsent()).waiting).toBe(1)
    expect(local.incomplete.get()).toEqual([{ table: 'taken', reason: 'not_on_device' }])
    expect(local.schema.get().tables.map(({ name }) => name)).toEqual(['notes'])
  })

  test('does not wipe data that is nowhere else, and stays open then', async () => {
    const world = await openWorld()
    const local = await world.opened('a')
    await write(local, 'unsent')
    const release = world.device.release({ wipe: true, discardUnsent: false })
    await expect(release).rejects.toEqual(new UnsentChanges({ waiting: 1, attention: 0, files: 0 }))
    expect(await notes(local)).toEqual([{ body: 'unsent' }])
  })

  test('wipes when the person gives that up, and forgets that they were here', async () => {
    const world = await openWorld()
    await write(await world.opened('a'), 'unsent')
    await world.device.release({ wipe: true, discardUnsent: true })
    expect(world.device.state.get()).toEqual({ kind: 'none' })
    expect(world.people.people.get()).toEqual([])
  })

  test('wipes also what is only being opened, and asks before', async () => {
    const world = await openWorld()
    const schema = await world.store.getItem('holdfast-schema:a')
    await write(await world.opened('a'), 'unsent')
    await world.device.release({ wipe: false, discardUnsent: false })
    // The page is reopened, and the user leaves before anything is known.
    const again = await openWorld({ kind: 'booting' }, { beside: world })
    const asked = again.device.release({ wipe: true, discardUnsent: false })
    again.session.set(ana)
    await expect(asked).rejects.toEqual(new UnsentChanges({ waiting: 1, attention: 0, files: 0 }))
    again.session.set({ kind: 'signed_out' })
    await expect.poll(() => again.device.state.get().kind).toBe('none')
    again.session.set(ana)
    await again.device.release({ wipe: true, discardUnsent: true })
    expect(again.people.people.get()).toEqual([])
    await world.store.setItem('holdfast-schema:a', schema ?? '')
    again.session.set({ kind: 'expired', user: { id: 'a', email: undefined } })
    expect(await notes(await again.opened('a'))).toEqual([])
  })

  test('that was paused stays so when it is not wiped', async () => {
    const world = await openWorld()
    const local = await world.opened('a')
    await write(local, 'unsent')
    await local.disconnect()
    const connect = vi.spyOn(local.database, 'connect')
    await expect(world.device.release({ wipe: true, discardUnsent: false })).rejects.toBeInstanceOf(UnsentChanges)
    await local.refreshSchema() // serialized after it
    expect(connect).not.toHaveBeenCalled()
  })

  test('opens the next person and lets the last one go although the list of people cannot be written', async () => {
    const store = memoryStore()
    let isFull = false
    const full: KeyValueStore = {
      ...store,
      setItem(key, value) {
        if (isFull && key === 'holdfast-people') throw new Error('QuotaExceededError')
        return store.setItem(key, value)
      },
    }
    const world = await openWorld(ana, { store: full })
    await world.opened('a')
    isFull = true
    world.session.set(ben)
    await world.opened('b')
    await world.device.release({ wipe: false, discardUnsent: false })
    world.session.set({ kind: 'signed_out' })
    world.session.set(ana)
    await world.opened('a')
  })

  test('opens the next person although the database of the last one cannot be closed', async () => {
    const world = await openWorld()
    const local = await world.opened('a')
    const { close } = local.database
    const failing = vi.spyOn(local.database, 'close').mockImplementationOnce(async (options) => {
      await close.call(local.database, options)
      throw new Error('the worker is gone')
    })
    world.session.set(ben)
    await world.opened('b')
    expect(failing).toHaveBeenCalled()
  })

  test('lets go who leaves before the server has said which tables there are', async () => {
    let isAsked = false
    const silent: typeof globalThis.fetch = () => {
      isAsked = true
      return new Promise(() => undefined)
    }
    const world = await openWorld({ kind: 'booting' }, { fetch: silent })
    await world.store.removeItem('holdfast-schema:a')
    world.session.set(ana)
    await expect.poll(() => isAsked).toBe(true)
    await world.device.release({ wipe: false, discardUnsent: false })
    expect(world.device.state.get()).toEqual({ kind: 'none' })
  })

  test('that is left with its data says how much was not sent', async () => {
    const world = await openWorld()
    await write(await world.opened('a'), 'unsent')
    await world.device.release({ wipe: false, discardUnsent: false })
    expect(world.people.people.get()).toMatchObject([{ id: 'a', unsent: 1 }])
  })

  test('opens only the last of several people who come at once', async () => {
    const world = await openWorld()
    for (const state of [ben, ana, ben]) world.session.set(state)
    await world.opened('b')
    await world.device.release({ wipe: false, discardUnsent: false })
    expect(world.people.people.get().map(({ id }) => id)).toEqual(['b'])
  })
})
