import { describe, expect, test } from 'vitest'
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
