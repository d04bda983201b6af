import { FetchStrategy, SyncStreamConnectionMethod } from '@powersync/common'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openFaultyLink, type Holdfast } from '@holdfast/test-support'
import { addNotes, ANN, type App, BEN, openApp, openNotesServer, run, shortToken, soon } from './sync-app.ts'

/* The unmodified SDK over the WebSocket, which React Native uses by default. What both transports share is tested over HTTP. */

let holdfast: Holdfast

beforeAll(async () => {
  holdfast = await openNotesServer()
})

afterAll(async () => holdfast?.[Symbol.asyncDispose]())

beforeEach(async () => {
  await run(holdfast, 'delete from public.notes')
  await addNotes(holdfast, ANN, ['a', 'b'])
  await addNotes(holdfast, BEN, ['of Ben'])
})

/** Connects over the WebSocket, and fails where the SDK would otherwise retry in silence. */
function connect(app: App, options: Parameters<App['connect']>[0] = {}): Promise<void> {
  return app.connect({ connectionMethod: SyncStreamConnectionMethod.WEB_SOCKET, ...options })
}

function hasFailed(app: App): boolean {
  return app.statuses.some((status) => status.downloadError !== undefined)
}

async function userId(account: { readonly email: string }): Promise<string> {
  const rows = await holdfast.admin.withClient(
    async (client) =>
      (await client.query<{ id: string }>('select id from auth.users where email = $1', [account.email])).rows,
  )
  return rows[0]?.id ?? ''
}

describe('options.connectionMethod', () => {
  test('HTTP syncs the rows', async () => {
    await using app = await openApp(holdfast)
    await app.connect({ connectionMethod: SyncStreamConnectionMethod.HTTP })
    await app.shows(['a', 'b'])
  })

  test("WebSocket syncs the user's rows, every change to them and their loss", async () => {
    await using app = await openApp(holdfast)
    await connect(app)
    await app.database.waitForFirstSync(soon())
    expect(await app.titles()).toEqual(['a', 'b'])
    await addNotes(holdfast, ANN, ['c'])
    await app.shows(['a', 'b', 'c'])
    await run(holdfast, `update public.notes set owner_id = '${await userId(BEN)}' where title = 'a'`)
    await app.shows(['b', 'c'])
    expect(hasFailed(app)).toBe(false)
  })

  test.each([FetchStrategy.Buffered, FetchStrategy.Sequential])(
    'WebSocket delivers more lines than the device asks for at once (%s)',
    async (fetchStrategy) => {
      const titles = Array.from(
        { length: 6_000 },
        (_, index) => `note ${String(index).padStart(4, '0')} ${'x'.repeat(60)}`,
      )
      await addNotes(holdfast, ANN, titles)
      await using app = await openApp(holdfast)
      await connect(app, { fetchStrategy })
      await app.shows(['a', 'b', ...titles])
      expect(hasFailed(app)).toBe(false)
    },
  )

  test('WebSocket acknowledges writes in both checkpoint modes', async () => {
    await using app = await openApp(holdfast)
    for (const checkpointMode of ['legacy', 'requests'] as const) {
      await connect(app, { checkpointMode })
      await app.database.waitForFirstSync(soon())
      await app.database.execute(`insert into notes (id, title) values (uuid(), ?)`, [checkpointMode])
      const written = `select owner_id is not null as is_back from notes where title = ?`
      await vi.waitFor(
        async () => expect(await app.database.getAll(written, [checkpointMode])).toEqual([{ is_back: 1 }]),
        { timeout: 60_000 },
      )
      await app.database.disconnect()
    }
    expect(hasFailed(app)).toBe(false)
  })

  test('WebSocket gets a new token before the old one expires, without an error', async () => {
    await using app = await openApp(holdfast)
    const sub = await userId(ANN)
    let asked = 0
    await connect(app, {
      fetchCredentials: async () => {
        asked++
        return { endpoint: holdfast.url, token: shortToken(holdfast, { sub, exp: Math.floor(Date.now() / 1000) + 3 }) }
      },
    })
    await app.database.waitForFirstSync(soon())
    await vi.waitFor(() => expect(asked).toBeGreaterThan(2), { timeout: 60_000 })
    await addNotes(holdfast, ANN, ['later'])
    await app.shows(['a', 'b', 'later'])
    expect(hasFailed(app)).toBe(false)
  })

  test('WebSocket continues from its positions after the connection broke', async () => {
    await using link = await openFaultyLink(holdfast.url)
    await using app = await openApp(holdfast)
    await connect(app, { fetchCredentials: async () => ({ endpoint: link.url, token: await app.token() }) })
    await app.database.waitForFirstSync(soon())
    link.sever()
    await vi.waitFor(() => expect(app.database.connected).toBe(false), { timeout: 60_000 })
    const before = app.statuses.length
    await addNotes(holdfast, ANN, ['meanwhile'])
    link.mend()
    await app.shows(['a', 'b', 'meanwhile'])
    const downloaded = app.statuses.slice(before).map((status) => status.downloadProgress?.totalOperations ?? 0)
    expect(Math.max(...downloaded)).toBeLessThanOrEqual(1)
  })

  test('WebSocket ends with the session, and its error names the reason', async () => {
    await using app = await openApp(holdfast)
    const token = await app.token()
    await connect(app, { fetchCredentials: async () => ({ endpoint: holdfast.url, token }) })
    await app.database.waitForFirstSync(soon())
    await app.supabase.auth.signOut()
    await app.database.waitForStatus(({ downloadError }) => downloadError, soon())
    expect(app.statuses.findLast((status) => status.downloadError)?.downloadError?.message).toContain('PSYNC_S2101')
    expect(app.database.connected).toBe(false)
  })

  describe('refused', () => {
    test('over WebSocket, a token that is forged or has no subject, until a valid one follows', async () => {
      await using app = await openApp(holdfast)
      const exp = Math.floor(Date.now() / 1000) + 600
      const tokens = ['no token', shortToken(holdfast, { exp })]
      await connect(app, {
        fetchCredentials: async () => ({ endpoint: holdfast.url, token: tokens.shift() ?? (await app.token()) }),
      })
      await app.shows(['a', 'b'])
      const seen = app.statuses.map((status) => status.downloadError?.message ?? '').join('\n')
      expect(seen).toContain('[PSYNC_S2101] The token is not valid')
      expect(seen).toContain('[PSYNC_S2101] The token has no subject')
    })
  })
})
