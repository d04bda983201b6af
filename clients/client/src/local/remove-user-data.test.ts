import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { memoryStore } from '../key-value.ts'
import {
  ana,
  ben,
  notes,
  openWorld,
  removeDatabase,
  withDeviceWorlds,
  write,
  type World,
} from './device-world.test-support.ts'

withDeviceWorlds()

const MARKER = 'Marker 6f1d'
const DISCARD = { wipe: true, discardUnsent: true }

/** Returns the files of a device that contain the marker. */
function filesWithMarker(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name)
    return statSync(path).isFile() && readFileSync(path).includes(MARKER)
  })
}

/** Fills a device with the marker in rows, outbox, draft, rejected change, thumbnail and photo, and in a separate file. */
async function fill(world: World): Promise<void> {
  const local = await world.opened('a')
  await write(local, MARKER)
  await write(local, `${MARKER} ${'long '.repeat(2_000)}`)
  await local.database.execute('delete from notes where body like ?', [`${MARKER} long%`])
  for (const sql of [
    `insert into hf_local_drafts (id, field_values) values (uuid(), ?)`,
    `insert into hf_local_attention (id, state, operations) values (uuid(), 'open', ?)`,
    `insert into hf_local_pictures (id, picture) values (uuid(), ?)`,
  ]) {
    await local.database.execute(sql, [MARKER])
  }
  await local.attachments?.add(new Blob([MARKER]), { name: MARKER })
  // A damaged database kept after its replacement, and an interrupted replacement.
  await world.store.setItem('holdfast-file-a', JSON.stringify({ generation: 1 }))
  writeFileSync(join(world.folder, 'holdfast-a-1.db'), MARKER)
  writeFileSync(join(world.folder, 'holdfast-a-2.db'), MARKER)
}

describe('removing the data of a user', () => {
  test('leaves none of their bytes in any file of the device, and none of their entries in its store', async () => {
    const keys = new Set<string>()
    const memory = memoryStore()
    const store = {
      ...memory,
      setItem: (key: string, value: string) => void (keys.add(key), memory.setItem(key, value)),
      removeItem: (key: string) => void (keys.delete(key), memory.removeItem(key)),
    }
    const forgotten: string[] = []
    const world = await openWorld(ana, { store, forgetUser: (userId) => void forgotten.push(userId) })
    await fill(world)
    expect(filesWithMarker(world.folder).length).toBeGreaterThan(3)
    expect(await world.device.release(DISCARD)).toBeUndefined()
    expect(readdirSync(world.folder).filter((name) => name.includes('holdfast-a'))).toEqual([])
    expect(filesWithMarker(world.folder)).toEqual([])
    expect([...keys].filter((key) => /-a$|:a$/.test(key))).toEqual([])
    expect(await memory.getItem('holdfast-people')).toBe('[]')
    expect(keys).not.toContain('holdfast-removals')
    expect(forgotten).toEqual(['a'])
  })

  test('leaves none of their bytes in a file that the app has no way to delete', async () => {
    const world = await openWorld(ana, { removeDatabase: 'unsupported' })
    const local = await world.opened('a')
    await write(local, MARKER)
    await local.database.execute(`insert into hf_local_drafts (id, field_values) values (uuid(), ?)`, [MARKER])
    expect(filesWithMarker(world.folder)).not.toEqual([])
    expect(await world.device.release(DISCARD)).toBeUndefined()
    expect(readdirSync(world.folder)).toContain('holdfast-a.db')
    expect(filesWithMarker(world.folder)).toEqual([])
  })

  test('says what remains, empties it, and deletes it at the next start, when another user is signed in', async () => {
    const world = await openWorld(ana, {
      removeDatabase: () => Promise.reject(new Error('The file is in use.')),
    })
    await write(await world.opened('a'), MARKER)
    const remains = await world.device.release(DISCARD)
    expect(remains).toMatchObject({ name: 'DataRemains', userId: 'a' })
    expect(remains?.message).toContain('The file is in use.')
    expect(world.removals.value.get()).toMatchObject([{ id: 'a', email: 'ana@example.org' }])
    expect(filesWithMarker(world.folder)).toEqual([])
    expect(readdirSync(world.folder)).toContain('holdfast-a.db')

    const next = await openWorld(ben, { beside: world })
    await expect.poll(() => next.removals.value.get()).toEqual([])
    expect(readdirSync(world.folder).filter((name) => name.includes('holdfast-a'))).toEqual([])
    await next.opened('b')
  })

  test('does not open again what remains when the user comes back', async () => {
    const world = await openWorld(ana, { removeDatabase: () => Promise.reject(new Error('The file is in use.')) })
    const schema = (await world.store.getItem('holdfast-schema:a')) ?? ''
    await write(await world.opened('a'), MARKER)
    expect(await world.device.release(DISCARD)).toBeDefined()
    world.session.set({ kind: 'signed_out' })
    await world.store.setItem('holdfast-schema:a', schema)
    world.session.set(ana)
    const local = await world.opened('a')
    expect(await notes(local)).toEqual([])
    await write(local, 'new work')

    // The next start deletes the leftovers and nothing newer.
    await world.device[Symbol.asyncDispose]()
    const next = await openWorld(ana, { beside: world })
    await expect.poll(() => next.removals.value.get()).toEqual([])
    expect(await notes(await next.opened('a'))).toEqual([{ body: 'new work' }])
    expect(readdirSync(world.folder)).not.toContain('holdfast-a.db')
  })

  test('goes on at the next start after the page was closed in the middle, and ends the session that was left', async () => {
    const world = await openWorld()
    await write(await world.opened('a'), MARKER)
    await world.device[Symbol.asyncDispose]()
    await world.removals.put({ id: 'a', email: undefined, generation: 0, isBack: false, problem: undefined })
    const next = await openWorld(ana, { beside: world })
    await expect.poll(() => next.session.get()).toEqual({ kind: 'signed_out' })
    await expect.poll(() => next.removals.value.get()).toEqual([])
    expect(next.people.people.get()).toEqual([])
    expect(filesWithMarker(world.folder)).toEqual([])
  })

  test('closes the database in another tab, which keeps that of another user open', async () => {
    const world = await openWorld()
    const other = await openWorld(ana, { beside: world })
    const third = await openWorld(ben, { beside: world })
    await Promise.all([world.opened('a'), other.opened('a'), third.opened('b')])
    await world.device.release(DISCARD)
    await expect.poll(() => other.device.state.get().kind).toBe('none')
    expect(third.device.state.get().kind).toBe('open')
  })

  test('is tried again when the user asks for it', async () => {
    let isInUse = true
    const world = await openWorld(ana, {
      async removeDatabase(fileName, folder) {
        if (isInUse) throw new Error('The file is in use.')
        await removeDatabase(fileName, folder)
      },
    })
    await world.opened('a')
    expect(await world.device.release(DISCARD)).toBeDefined()
    await world.device.retryRemovals()
    expect(world.removals.value.get()).toMatchObject([{ id: 'a', problem: expect.stringContaining('in use') }])
    isInUse = false
    await world.device.retryRemovals()
    expect(world.removals.value.get()).toEqual([])
  })
})
