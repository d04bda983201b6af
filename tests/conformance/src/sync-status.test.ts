import { type SyncStatus } from '@powersync/common'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openFaultyLink, openRawStream, type Holdfast } from '@holdfast/test-support'
import { addNotes, ANN, BEN, openApp, openNotesServer, run, soon, type App } from './sync-app.ts'

/* What the unmodified SDK reports about syncing, field by field of its `SyncStatus`. */

/** Enough for a download of several lines. */
const MANY = 6_000

let holdfast: Holdfast

beforeAll(async () => {
  holdfast = await openNotesServer(`
    select sync.create_stream('urgent', $$ select * from notes where title like 'urgent%' $$, priority => 0, auto_subscribe => true);
    select sync.create_stream('many', $$ select * from notes where title like 'many%' $$, priority => 3, auto_subscribe => true);
    select sync.create_stream('titled', $$ select * from notes where title = subscription.parameter('title') $$, priority => 1);
  `)
})

afterAll(async () => holdfast?.[Symbol.asyncDispose]())

beforeEach(async () => {
  await run(holdfast, 'delete from public.notes')
  await addNotes(holdfast, ANN, ['urgent', 'asked for'])
})

async function connected(): Promise<App> {
  const app = await openApp(holdfast)
  await app.connect()
  await app.database.waitForFirstSync(soon())
  return app
}

/** Adds many notes and waits until the server can sync them: a device that connects earlier would get its first checkpoint without them. */
async function addMany(): Promise<void> {
  await addNotes(
    holdfast,
    ANN,
    Array.from({ length: MANY }, (_, n) => `many ${n}`),
  )
  // A user who sees none of them gets the same checkpoint.
  const client = await holdfast.supabase(BEN)
  const token = (await client.auth.getSession()).data.session?.access_token ?? ''
  await using stream = await openRawStream({ url: holdfast.url, token, clientId: crypto.randomUUID() })
  await stream.settle()
}

/** The successive values of a status field, without repetitions. */
function course<Value>(app: App, read: (status: SyncStatus) => Value): readonly Value[] {
  return app.statuses.map(read).filter((value, at, all) => at === 0 || value !== all[at - 1])
}

describe('status.connected', () => {
  test('is true while connected, false while the connection is down, and true again by itself', async () => {
    await using link = await openFaultyLink(holdfast.url)
    await using app = await openApp(holdfast)
    await app.connect({ fetchCredentials: async () => ({ endpoint: link.url, token: await app.token() }) })
    await app.database.waitForFirstSync(soon())
    expect(app.database.connected).toBe(true)
    link.sever()
    await app.database.waitForStatus((status) => !status.connected, soon())
    link.mend()
    await app.database.waitForStatus((status) => status.connected, soon())
  })
})

describe('status.connecting', () => {
  test('comes before connected', async () => {
    await using app = await connected()
    const steps = course(app, ({ connecting, connected: is }) => (is ? 'connected' : connecting ? 'connecting' : 'not'))
    expect(steps.filter((step) => step !== 'not').slice(0, 2)).toEqual(['connecting', 'connected'])
  })
})

describe('status.hasSynced', () => {
  test('is false until the first full checkpoint is applied, then true', async () => {
    await using app = await connected()
    expect(course(app, ({ hasSynced }) => hasSynced === true)).toEqual([false, true])
    await app.database.disconnect()
    expect(app.database.currentStatus.hasSynced).toBe(true)
  })
})

describe('status.lastSyncedAt', () => {
  test('advances with every applied checkpoint', async () => {
    await using app = await connected()
    const first = app.database.currentStatus.lastSyncedAt?.getTime() ?? 0
    expect(Math.abs(Date.now() - first)).toBeLessThan(60_000)
    // The field has a resolution of one second.
    await expect.poll(() => Date.now()).toBeGreaterThan(first + 1_000)
    await addNotes(holdfast, ANN, ['urgent, too'])
    await app.database.waitForStatus((status) => (status.lastSyncedAt?.getTime() ?? 0) > first, soon())
  })
})

describe('status.downloading', () => {
  test('is true while rows download', async () => {
    await using app = await connected()
    const { length } = app.statuses
    await addNotes(holdfast, ANN, ['urgent, too'])
    await app.shows(['urgent', 'urgent, too'])
    await app.database.waitForStatus(({ downloading }) => !downloading, soon())
    expect(app.statuses.slice(length).some(({ downloading }) => downloading)).toBe(true)
  })
})

describe('status.downloadProgress', () => {
  test('counts the operations of a first sync, in total and per priority', async () => {
    await addMany()
    await using app = await connected()
    const progress = app.statuses.flatMap(({ downloadProgress: of }) =>
      of ? [[of.downloadedOperations, of.totalOperations, of.untilPriority(0).downloadedFraction] as const] : [],
    )
    const [total = 0, ...others] = [...new Set(progress.map((counted) => counted[1]))]
    expect(others).toEqual([])
    expect(total).toBeGreaterThan(MANY) // plus operations of deleted rows still in the log
    const counts = progress.map(([downloaded]) => downloaded)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(counts[0]).toBeLessThan(MANY / 2)
    expect(counts.at(-1)).toBe(total)
    // The urgent row arrived before most of the others.
    expect(progress.some(([downloaded, , urgent]) => urgent === 1 && downloaded < MANY / 2)).toBe(true)
    expect(app.database.currentStatus.downloadProgress).toBeNull()
  })
})

describe('status.downloadError', () => {
  test('is set while the server is unreachable, then cleared', async () => {
    await using link = await openFaultyLink(holdfast.url)
    await using app = await openApp(holdfast)
    link.sever()
    await app.connect({ fetchCredentials: async () => ({ endpoint: link.url, token: await app.token() }) })
    await app.database.waitForStatus(({ downloadError }) => downloadError, soon())
    link.mend()
    await app.database.waitForFirstSync(soon())
    await app.database.waitForStatus(({ downloadError }) => !downloadError, soon())
  })
})

describe('status.uploading', () => {
  test('is true while `uploadData` runs', async () => {
    await using app = await connected()
    const { length } = app.statuses
    await app.database.execute(`insert into notes (id, title) values (uuid(), 'urgent, mine')`)
    await app.database.waitForStatus(({ uploading }) => uploading, soon())
    await app.database.waitForStatus(({ uploading }) => !uploading, soon())
    expect(app.statuses.slice(length).some(({ uploading }) => uploading)).toBe(true)
  })
})

describe('status.uploadError', () => {
  test('is the error of `uploadData` until it succeeds', async () => {
    await using app = await openApp(holdfast)
    let isAway = true
    await app.connect({
      async uploadData(database) {
        if (isAway) throw new Error('away for lunch')
        const transaction = await database.getNextCrudTransaction()
        await transaction?.complete()
      },
    })
    await app.database.waitForFirstSync(soon())
    await app.database.execute(`insert into notes (id, title) values (uuid(), 'urgent, mine')`)
    await app.database.waitForStatus(({ uploadError }) => uploadError, soon())
    expect(app.database.currentStatus.uploadError?.message).toContain('away for lunch')
    isAway = false
    await app.database.waitForStatus(({ uploadError }) => !uploadError, soon())
  })
})

describe('status.dataFlowStatus', () => {
  test('has uploading and downloadError', async () => {
    await using app = await connected()
    expect(app.database.currentStatus.dataFlowStatus).toMatchObject({ uploading: false, downloadError: undefined })
  })
})

describe('status.syncStreams', () => {
  test('lists default and subscribed streams', async () => {
    await using app = await connected()
    const subscription = await app.database.syncStream('titled', { title: 'asked for' }).subscribe({ ttl: 60 })
    await subscription.waitForFirstSync(soon())
    const listed = app.database.currentStatus.syncStreams?.map(({ subscription: of, priority }) => ({
      name: of.name,
      parameters: of.parameters,
      isDefault: of.isDefault,
      asked: of.hasExplicitSubscription,
      active: of.active,
      hasSynced: of.hasSynced,
      priority: of.name === 'many' ? undefined : priority, // known once the stream has had a row
    }))
    const byDefault = { parameters: null, isDefault: true, asked: false, active: true, hasSynced: true }
    expect(listed?.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { ...byDefault, name: 'everything', priority: null },
      { ...byDefault, name: 'many', priority: undefined },
      {
        name: 'titled', parameters: { title: 'asked for' }, isDefault: false, asked: true, active: true, hasSynced: true, priority: 1,
      },
      { ...byDefault, name: 'urgent', priority: 0 },
    ]) // prettier-ignore
  })
})

describe('status.forStream', () => {
  test('returns progress, last sync and expiry of a subscription', async () => {
    await using app = await connected()
    const stream = app.database.syncStream('titled', { title: 'asked for' })
    expect(app.database.currentStatus.forStream(stream)).toBeUndefined()
    const subscription = await stream.subscribe({ ttl: 60 })
    await subscription.waitForFirstSync(soon())
    await app.database.waitForStatus(({ downloading }) => !downloading, soon())
    const status = app.database.currentStatus.forStream(stream)
    expect(status?.subscription.lastSyncedAt).toBeInstanceOf(Date)
    expect(status?.subscription.expiresAt).toBeInstanceOf(Date)
    expect(status?.progress).toBeNull()
    expect(app.database.currentStatus.forStream(app.database.syncStream('titled', { title: 'other' }))).toBeUndefined()
  })
})

describe('status.priorityStatusEntries', () => {
  test('has an entry for a priority that syncs before the rest', async () => {
    await addMany()
    await using app = await connected()
    const before = app.statuses.filter(({ hasSynced }) => hasSynced !== true)
    const entries = before.flatMap(({ priorityStatusEntries }) => priorityStatusEntries ?? [])
    expect(entries.some(({ priority, hasSynced }) => priority === 0 && hasSynced)).toBe(true)
  })
})

describe('status.statusForPriority', () => {
  test('returns whether a priority has synced', async () => {
    await addMany()
    await using app = await connected()
    const early = app.statuses.filter(({ hasSynced }) => hasSynced !== true)
    expect(
      early.some((status) => status.statusForPriority(0)?.hasSynced && !status.statusForPriority(3)?.hasSynced),
    ).toBe(true)
    expect(app.database.currentStatus.statusForPriority(3)).toMatchObject({ hasSynced: true })
  })
})

describe('database.waitForFirstSync', () => {
  test('with a priority, resolves before the rest has synced', async () => {
    await addMany()
    await using app = await openApp(holdfast)
    const seen = app.database
      .waitForFirstSync({ priority: 0, signal: soon() })
      .then(() => app.database.currentStatus.hasSynced === true)
    await app.connect()
    expect(await seen).toBe(false)
    expect(await app.database.getAll(`select title from notes where title = 'urgent'`)).toHaveLength(1)
    await app.database.waitForFirstSync(soon())
    expect(await app.titles()).toHaveLength(MANY + 1)
  })

  test('resolves for a user without visible rows', async () => {
    await run(holdfast, 'delete from public.notes')
    await using app = await connected()
    expect(await app.titles()).toEqual([])
    expect(app.database.currentStatus.hasSynced).toBe(true)
  })
})

describe('database.waitForStatus', () => {
  test('resolves with the first matching status', async () => {
    await using app = await openApp(holdfast)
    const waiting = app.database.waitForStatus((status) => status.connected && status.hasSynced, soon())
    await app.connect()
    await waiting
    expect(app.database.currentStatus).toMatchObject({ connected: true, hasSynced: true })
  })
})

describe('database.watch', () => {
  test('emits new results when rows arrive from the server', async () => {
    await using app = await connected()
    const answers: unknown[] = []
    const stop = new AbortController()
    app.database.watch(
      'select title from notes order by title',
      [],
      { onResult: ({ array }) => answers.push(array) },
      { signal: stop.signal, throttleMs: 1 },
    )
    await vi.waitFor(() => expect(answers.at(-1)).toEqual([{ title: 'urgent' }]), { timeout: 60_000 })
    await addNotes(holdfast, ANN, ['urgent, too'])
    await vi.waitFor(() => expect(answers.at(-1)).toEqual([{ title: 'urgent' }, { title: 'urgent, too' }]), {
      timeout: 60_000,
    })
    stop.abort()
  })
})
