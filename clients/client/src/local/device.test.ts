import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PowerSyncDatabase } from '@powersync/node'
import { afterEach, describe, expect, test } from 'vitest'
import type { SchemaDescriptor } from '@holdfast/protocol'
import { fetchSender } from '../attachments/transfer/body-sender.ts'
import { memoryStore } from '../key-value.ts'
import { openDevicePeople } from '../people/device-people.ts'

import { cacheSchema } from '../schema/fetch-schema.ts'
import type { SessionState } from '../session/session-state.ts'
import type { UserTokens } from '../session/session.ts'
import { createValue, type WritableValue } from '../value.ts'
import { type Device, openDevice } from './device.ts'
import type { LocalDatabase } from './local-database.ts'
import { UnsentChanges } from './unsent-changes.ts'

// Without network throughout: the server is at an address where nothing listens.

const schema: SchemaDescriptor = {
  version: '1',
  tables: [
    {
      name: 'notes',
      schema: 'public',
      table: 'notes',
      columns: [
        { name: 'id', local: 'text', type: 'uuid', nullable: false, hasDefault: true, generated: false },
        { name: 'body', local: 'text', type: 'text', nullable: true, hasDefault: false, generated: false },
      ],
      can: { insert: true, update: true, delete: true },
      indexes: [],
    },
  ],
}
const ana: SessionState = { kind: 'active', user: { id: 'a', email: 'ana@example.org' } }
const ben: SessionState = { kind: 'active', user: { id: 'b', email: undefined } }

interface World {
  readonly device: Device
  readonly session: WritableValue<SessionState>
  readonly people: ReturnType<typeof openDevicePeople>
  /** The open database, once it is that of the person. */
  opened(userId: string): Promise<LocalDatabase>
}

const ending: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

async function openWorld(first: SessionState = ana): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-device-'))
  const store = memoryStore()
  for (const userId of ['a', 'b']) await cacheSchema(store, userId, schema)
  const session = createValue<SessionState>(first)
  const people = openDevicePeople(store, () => 1_000)
  const tokens: UserTokens = {
    token: async () => 'token',
    refreshedToken: async () => undefined,
    credentials: async () => undefined,
    verify: async () => undefined,
  }
  const device = openDevice({
    url: 'http://127.0.0.1:1',
    store,
    people,
    session: {
      state: session,
      tokensOf: () => tokens,
      leave: async () => undefined,
      openLocally: async () => undefined,
      [Symbol.dispose]: () => undefined,
    },
    openDatabase: ({ schema: local, fileName }) =>
      new PowerSyncDatabase({
        schema: local,
        logger: { log: () => undefined }, // that there is no server is the point
        database: {
          dbFilename: fileName,
          dbLocation: folder,
          implementation: { type: 'node:sqlite' },
          readWorkerCount: 1,
        },
      }),
    anonKey: 'anon',
    attachments: undefined,
    search: undefined,
    fetch: globalThis.fetch,
    bodies: fetchSender(globalThis.fetch),
    now: () => 1_000,
    random: () => 0.5,
    onProblem: () => undefined,
  })
  ending.push(async () => {
    await device[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    device,
    session,
    people,
    async opened(userId) {
      await expect.poll(() => openUser(device), { timeout: 20_000 }).toBe(userId)
      const state = device.state.get()
      if (state.kind !== 'open') throw new Error('it is open')
      return state.local
    },
  }
}

function openUser(device: Device): string | undefined {
  const state = device.state.get()
  return state.kind === 'open' ? state.local.userId : undefined
}

const write = (local: LocalDatabase, body: string): Promise<unknown> =>
  local.database.execute('insert into notes (id, body) values (uuid(), ?)', [body])
const notes = (local: LocalDatabase): Promise<readonly unknown[]> => local.database.getAll('select body from notes')

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
