import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { ana, ben, notes, openWorld, type World, write, withDeviceWorlds } from '../device-world.test-support.ts'
import { readLock, writeLock } from './lock-record.ts'

withDeviceWorlds()

const PASSWORD = 'correct horse'

/** Names of the files of a device that contain a text. */
function filesWith({ folder }: World, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text))
    .map(({ name }) => name)
}

/** A user signs in with a password, writes a row that is not sent, captures a file, and signs out. */
async function leave(options: Parameters<typeof openWorld>[1] = {}): Promise<World> {
  const world = await openWorld(ana, { locks: true, ...options })
  world.lock.notePassword('a', PASSWORD)
  const local = await world.opened('a')
  await write(local, 'secret row')
  await local.attachments?.add(new Blob(['secret photo']))
  expect(await world.device.canLock()).toBe(true)
  expect(filesWith(world, 'secret')).not.toEqual([])
  await world.device.release({ wipe: false, discardUnsent: false })
  world.session.set({ kind: 'signed_out' })
  await world.device.finishLocks()
  return world
}

async function expectUnsent(world: World): Promise<void> {
  const local = await world.opened('a')
  expect(await notes(local)).toEqual([{ body: 'secret row' }])
  expect(await local.countUnsent()).toMatchObject({ waiting: 1, files: 1 })
  const [file] = await local.database.getAll<{ id: string }>('select id from hf_local_files')
  expect(await (await local.attachments?.read(file?.id ?? ''))?.text()).toBe('secret photo')
}

describe('signing out', () => {
  test('leaves no readable row or file of the user, and nothing that opens them', async () => {
    const world = await leave()
    expect(filesWith(world, 'secret')).toEqual([])
    expect(filesWith(world, 'SQLite')).toEqual([])
    expect(world.people.people.get()).toMatchObject([{ id: 'a', isSignedOut: true, isLocked: true, unsent: 2 }])
    expect(JSON.stringify(await readLock(world.store, 'a'))).not.toContain(PASSWORD)
  })

  test('keeps unsent work, which the next session of the user opens', async () => {
    const world = await leave()
    world.session.set(ana)
    await expectUnsent(world)
    expect(world.people.people.get()).toMatchObject([{ id: 'a', isSignedOut: false, isLocked: false }])
  })

  test('does not open for another user, who gets a database of their own', async () => {
    const world = await leave()
    world.session.set(ben)
    expect(await notes(await world.opened('b'))).toEqual([])
    expect(filesWith(world, 'secret')).toEqual([])
  })

  test('returns to the sign-in screen if only the stored name of the last user is changed', async () => {
    const world = await leave()
    world.session.set({ kind: 'expired', user: { id: 'a', email: undefined } })
    await expect.poll(() => world.session.get().kind).toBe('signed_out')
    expect(filesWith(world, 'secret')).toEqual([])
  })

  test('locks again after the same user has been back', async () => {
    const world = await leave()
    world.session.set(ana)
    await world.opened('a')
    await world.device.release({ wipe: false, discardUnsent: false })
    world.session.set({ kind: 'signed_out' })
    await world.device.finishLocks()
    expect(filesWith(world, 'secret')).toEqual([])
    world.session.set(ana)
    await expectUnsent(world)
  })

  test('removes locked data with everything else', async () => {
    const world = await leave()
    world.session.set(ana)
    await world.opened('a')
    await world.device.release({ wipe: true, discardUnsent: true })
    expect(readdirSync(join(world.folder, 'files', 'a_locked'))).toEqual([])
    expect(await readLock(world.store, 'a')).toBeUndefined()
  })

  test('that fails keeps the data and is continued by the next start', async () => {
    let isBroken = true
    const world = await openWorld(ana, {
      locks: true,
      async removeDatabase(fileName, folder) {
        if (isBroken) throw new Error('held')
        const { removeDatabase } = await import('../device-world.test-support.ts')
        await removeDatabase(fileName, folder)
      },
    })
    await write(await world.opened('a'), 'secret row')
    await world.device.canLock()
    await world.device.release({ wipe: false, discardUnsent: false })
    world.session.set({ kind: 'signed_out' })
    await expect(world.device.finishLocks()).rejects.toThrow('The data of user a on this device could not be locked')
    expect(world.people.people.get()).toMatchObject([{ isLocked: false }])
    isBroken = false
    await openWorld({ kind: 'signed_out' }, { beside: world, locks: true })
    await expect.poll(() => filesWith(world, 'secret'), { timeout: 10_000 }).toEqual([])
  })
})

describe('unlocking without the server', () => {
  const offline = { lockKey: () => new Response('', { status: 503 }) }

  test('takes the last password, and no other', async () => {
    const world = await leave()
    await expect(world.lock.unlock('a', 'wrong')).rejects.toMatchObject({ reason: 'wrong_password' })
    expect(filesWith(world, 'secret')).toEqual([])
    await world.lock.unlock('a', PASSWORD)
    world.session.set({ kind: 'expired', user: { id: 'a', email: 'ana@example.org' } })
    await expectUnsent(world)
  })

  test('is undone by the next start if the page was closed before the database opened', async () => {
    const world = await leave()
    await world.lock.unlock('a', PASSWORD)
    expect(filesWith(world, 'secret')).not.toEqual([])
    await openWorld({ kind: 'signed_out' }, { beside: world, locks: true })
    await expect.poll(() => filesWith(world, 'secret'), { timeout: 10_000 }).toEqual([])
    world.session.set(ana)
    await expectUnsent(world)
  })

  test('delays guesses after some, whatever comes next', async () => {
    const world = await leave()
    for (let guess = 0; guess < 6; guess++) await world.lock.unlock('a', `guess ${guess}`).catch(() => undefined)
    await expect(world.lock.unlock('a', PASSWORD)).rejects.toMatchObject({ reason: 'too_many', seconds: 1 })
  })

  test('is refused to a user who has not used a password here', async () => {
    const world = await openWorld(ana, { locks: true })
    await world.opened('a')
    expect(await world.device.canLock()).toBe(true)
    await expect(world.lock.unlock('a', '')).rejects.toMatchObject({ reason: 'no_password' })
  })

  test('is not prepared while the server gives no key', async () => {
    const world = await openWorld(ana, { locks: true, ...offline })
    await world.opened('a')
    expect(await world.device.canLock()).toBe(false)
  })
})

test('sealed bytes that were changed or cut are not opened, and stay', async () => {
  const world = await leave()
  const record = await readLock(world.store, 'a')
  if (!record?.sealed) throw new Error('it is locked')
  const files = record.sealed.files.toReversed()
  await writeLock(world.store, 'a', { ...record, sealed: { ...record.sealed, files } })
  world.session.set(ana)
  await vi.waitFor(() =>
    expect(world.device.state.get()).toMatchObject({ kind: 'failed', error: { name: 'SealBroken' } }),
  )
  expect(await world.lock.isLocked('a')).toBe(true)
})
