import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  countDifferences,
  createClient,
  memoryStore,
  renderDeviceCheck,
  SignInRequired,
  UnsentChanges,
  type HoldfastClient,
  type LocalDatabase,
  type PlannedWrite,
  type RuleRow,
} from '@holdfast/client'
import { sql } from '@holdfast/postgres'
import {
  createNotes,
  databaseIn,
  openDevice,
  openFaultyLink,
  openHoldfast,
  SAMPLE_PASSWORD,
  type FaultyLink,
  type Holdfast,
} from '@holdfast/test-support'

/*
 * What app developers rely on: a shared device keeps each user's changes apart and loses none silently, users stay signed in offline, and the
 * local tables follow the server while connected.
 */

const MINA = 'mina.kaya@northline.example'
const DANA = 'dana.okafor@northline.example'

let holdfast: Holdfast

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  await createNotes(holdfast)
})

afterAll(() => holdfast?.[Symbol.asyncDispose]())

describe('a shared device', () => {
  let link: FaultyLink
  let folder: string
  let store: ReturnType<typeof memoryStore>
  let client: HoldfastClient
  /** Number of schema requests to leave unanswered. */
  let unanswered = 0

  beforeEach(async () => {
    link = await openFaultyLink(holdfast.url)
    folder = mkdtempSync(join(tmpdir(), 'holdfast-shared-'))
    store = memoryStore()
    client = start()
  })

  afterEach(async () => {
    await client[Symbol.asyncDispose]()
    await link[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  function start(): HoldfastClient {
    return createClient({
      url: link.url,
      anonKey: holdfast.anonKey,
      store,
      fetch: (input, init) =>
        String(input).endsWith('/sync/v1/schema') && unanswered-- > 0
          ? Promise.resolve(new Response('{}', { status: 503 }))
          : fetch(input, init),
      openDatabase: databaseIn(folder),
      onProblem: () => undefined,
    })
  }

  async function restart(): Promise<void> {
    await client[Symbol.asyncDispose]()
    client = start()
  }

  async function signIn(email: string): Promise<LocalDatabase> {
    const { data, error } = await client.supabase.auth.signInWithPassword({ email, password: SAMPLE_PASSWORD })
    if (error) throw error
    const local = await opened(data.user.id)
    await local.database.waitForFirstSync(AbortSignal.timeout(60_000))
    return local
  }

  const opened = (userId?: string): Promise<LocalDatabase> =>
    vi.waitFor(
      () => {
        const state = client.device.get()
        if (state.kind !== 'open' || (userId ?? state.local.userId) !== state.local.userId)
          throw new Error(`the device is ${state.kind}`)
        return state.local
      },
      { timeout: 60_000, interval: 20 },
    )

  const write = (local: LocalDatabase, marker: string, amount = 1): Promise<unknown> =>
    local.database.execute('insert into notes (id, owner_id, shared, marker, amount) values (?, ?, 0, ?, ?)', [
      randomUUID(),
      local.userId,
      marker,
      amount,
    ])

  const stored = async (marker: string): Promise<readonly string[]> => {
    const rows = await holdfast.admin.query<{ email: string }>(
      sql`select u.email from public.notes n join auth.users u on u.id = n.owner_id where n.marker = ${marker}`,
    )
    return rows.map(({ email }) => email)
  }

  test("keeps each user's unsent changes until their next sign-in, and never sends them as another user", async () => {
    const mina = await signIn(MINA)
    link.sever()
    await write(mina, 'kept')
    await client.signOut('keep')
    expect(client.people.get()).toMatchObject([{ email: MINA, unsent: 1 }])
    link.mend()
    const dana = await signIn(DANA)
    await write(dana, 'of Dana')
    await vi.waitFor(async () => expect(await stored('of Dana')).toEqual([DANA]), { timeout: 60_000 })
    expect(await dana.database.getAll(`select marker from notes where marker = 'kept'`)).toEqual([])
    expect(await stored('kept')).toEqual([])
    // The server responds to an upload after storing its rows.
    await vi.waitFor(async () => expect((await dana.countUnsent()).waiting).toBe(0), { timeout: 60_000 })
    await client.signOut('keep')
    expect(client.people.get().map(({ email, unsent }) => [email, unsent])).toEqual([
      [DANA, 0],
      [MINA, 1],
    ])
    await signIn(MINA)
    await vi.waitFor(async () => expect(await stored('kept')).toEqual([MINA]), { timeout: 60_000 })
  })

  test('does not wipe unsent changes unless the user confirms it', async () => {
    const mina = await signIn(MINA)
    link.sever()
    await write(mina, 'wiped')
    await expect(client.signOut('wipe')).rejects.toThrow(UnsentChanges)
    expect(client.session.get().kind).toBe('active')
    link.mend()
    await vi.waitFor(async () => expect(await stored('wiped')).toEqual([MINA]), { timeout: 60_000 })
    await write(mina, 'refused', -1)
    await vi.waitFor(async () => expect(await mina.countUnsent()).toEqual({ waiting: 0, attention: 1, files: 0 }), {
      timeout: 60_000,
    })
    await expect(client.signOut('wipe')).rejects.toMatchObject({ waiting: 0, attention: 1 })
    await client.signOut('wipe', { discardUnsent: true })
    expect(client.people.get()).toEqual([])
    const again = await signIn(MINA)
    expect(await again.rejected.list()).toEqual([])
  })

  test('opens offline only for a user who did not sign out, and uploads their changes after sign-in', async () => {
    await signIn(MINA)
    // Another user takes over the device.
    await signIn(DANA)
    await client.signOut('keep')
    link.sever()
    await restart()
    await vi.waitFor(() => expect(client.session.get().kind).toBe('signed_out'), { timeout: 60_000 })
    const [person] = await vi.waitFor(
      () => {
        const known = client.people.get()
        expect(known.map(({ email, isSignedOut }) => [email, isSignedOut])).toEqual([
          [DANA, true],
          [MINA, false],
        ])
        return known.toReversed()
      },
      { timeout: 60_000 },
    )
    const [signedOut] = client.people.get()
    if (!signedOut || !person) throw new Error('both are on the device')
    await expect(client.openLocally(signedOut)).rejects.toThrow(SignInRequired)
    expect(client.device.get()).toEqual({ kind: 'none' })
    await client.openLocally(person)
    const local = await opened()
    await write(local, 'opened locally')
    expect(client.session.get()).toMatchObject({ kind: 'expired', user: { email: MINA } })
    link.mend()
    await signIn(MINA)
    await vi.waitFor(async () => expect(await stored('opened locally')).toEqual([MINA]), { timeout: 60_000 })
  })

  test("uploads a day's changes once each over a connection that keeps breaking", async () => {
    const local = await signIn(MINA)
    link.sever()
    const markers = Array.from({ length: 120 }, (_, n) => `${n} ${randomUUID()} ${'long '.repeat(300)}`)
    for (const marker of markers) await write(local, marker)
    link.limitRate(50_000, 'up')
    link.cutAfter(60_000, 'up')
    link.mend()
    await vi.waitFor(async () => expect((await local.countUnsent()).waiting).toBe(0), { timeout: 120_000 })
    const [{ count } = {}] = await holdfast.admin.query<{ count: number }>(
      sql`select count(*)::int as count from public.notes where marker = any (${markers})`,
    )
    expect(count).toBe(markers.length)
  })

  test('starts offline, signed in, with the last rows and schema', async () => {
    const before = await signIn(MINA)
    const tables = before.schema.get().tables.length
    link.sever()
    await restart()
    const local = await opened()
    expect(client.session.get()).toMatchObject({ kind: 'active', user: { email: MINA } })
    expect(local.schema.get().tables).toHaveLength(tables)
    expect(await local.database.get('select count(*) > 0 as some from actions')).toEqual({ some: 1 })
    await write(local, 'after a start')
    link.mend()
    await vi.waitFor(async () => expect(await stored('after a start')).toEqual([MINA]), { timeout: 60_000 })
  })

  test('retries fetching the schema while the server recompiles its policies', async () => {
    const local = await signIn(MINA)
    unanswered = 2
    await holdfast.admin.withClient((pg) =>
      pg.query(`
        create table public.vans (id uuid primary key default gen_random_uuid(), name text);
        alter table public.vans enable row level security;
        create policy everybody on public.vans for select to authenticated using (true);
        insert into public.vans (name) values ('blue');`),
    )
    const names = (): Promise<unknown> => local.database.getAll('select name from vans')
    await vi.waitFor(async () => expect(await names()).toEqual([{ name: 'blue' }]), { timeout: 60_000, interval: 100 })
    expect(unanswered).toBeLessThanOrEqual(0)
  })
})

describe('local tables', () => {
  test('follow new tables and columns while the device stays connected', async () => {
    await using device = await openDevice(holdfast, { email: MINA })
    const run = (text: string): Promise<unknown> => holdfast.admin.withClient((client) => client.query(text))
    await run(`
      create table public.tools (id uuid primary key default gen_random_uuid(), name text);
      alter table public.tools enable row level security;
      create policy everybody on public.tools for select to authenticated using (true);
      insert into public.tools (name) values ('hammer');`)
    const names = (): Promise<unknown> => device.database.getAll('select * from tools')
    await vi.waitFor(async () => expect(await names()).toMatchObject([{ name: 'hammer' }]), {
      timeout: 60_000,
      interval: 100,
    })
    await run(`alter table public.tools add column weight integer default 3`)
    await vi.waitFor(async () => expect(await names()).toMatchObject([{ name: 'hammer', weight: 3 }]), {
      timeout: 60_000,
      interval: 100,
    })
    expect(device.client.session.get().kind).toBe('active')
  })
})

describe('checking a device', () => {
  test('finds no difference while rows change, finds local damage, and resyncs without losing a change', async () => {
    await using device = await openDevice(holdfast, { email: MINA })
    const { local, database } = device
    const noted = new AbortController()
    const changing = (async () => {
      for (let n = 1; !noted.signal.aborted; n++) {
        await holdfast.admin.execute(
          sql`insert into public.notes (id, owner_id, shared, marker, amount) values (gen_random_uuid(), ${local.userId}::uuid, false, 'flow', ${n})`,
        )
        await holdfast.admin.execute(
          sql`update public.notes set amount = amount + 1000000 where marker = 'flow' and amount = ${n}`,
        )
        // At human speed, not in a tight loop: a check takes longer than this on any machine.
        await delay(200)
      }
    })()
    const seen = new Set<string>()
    const first = await local
      .checkDevice({ onProgress: ({ phase }) => seen.add(phase) })
      .finally(() => noted.abort())
      .finally(() => changing)
    expect(renderDeviceCheck(first)).toMatch(/rows in \d+ tables: equal$/)
    expect(first).toMatchObject({ equal: true, pending: 0 })
    expect(first.tables.find(({ table }) => table === 'actions')?.rows).toBeGreaterThan(500)
    expect([...seen]).toEqual(expect.arrayContaining(['server', 'device']))

    const [changed, gone] = await database.getAll<{ id: string }>('select id from actions order by id limit 2')
    await database.execute(`update ps_data__actions set data = json_set(data, '$.title', 'Damaged') where id = ?`, [
      changed?.id,
    ])
    await database.execute('delete from ps_data__actions where id = ?', [gone?.id])
    await database.execute(`insert into ps_data__sites (id, data) values ('nobody', '{"id":"nobody"}')`)
    const second = await local.checkDevice()
    expect(second.equal).toBe(false)
    expect(second.tables.filter((table) => countDifferences(table) > 0)).toMatchObject([
      { table: 'actions', missing: [gone?.id], extra: [], different: [changed?.id], hasMore: false },
      { table: 'sites', missing: [], extra: ['nobody'], different: [] },
    ])
    expect(renderDeviceCheck(second)).toContain(`different: ${changed?.id}`)

    await local.disconnect()
    await database.execute(`update actions set title = 'Not sent yet' where id = ?`, [changed?.id])
    await expect(local.resync()).rejects.toMatchObject({ reason: 'unsent' })
    expect((await local.countUnsent()).waiting).toBe(1)
    local.connect()
    await device.settle()
    await local.resync()
    await device.settle()
    expect(await database.getAll(`select id from sites where id = 'nobody'`)).toEqual([])
    expect(await local.checkDevice()).toMatchObject({ equal: true })
    expect(await device.localRows('actions')).toEqual(await device.visibleRows('actions'))
  })

  test('reports that the server is unreachable, and can be aborted', async () => {
    await using link = await openFaultyLink(holdfast.url)
    await using device = await openDevice({ ...holdfast, url: link.url }, { email: DANA })
    const stopped = new AbortController()
    const checking = device.local.checkDevice({ signal: stopped.signal, onProgress: () => stopped.abort() })
    await expect(checking).rejects.toThrow(/abort/)
    link.sever()
    await expect(device.local.checkDevice()).rejects.toMatchObject({ reason: 'unreachable' })
  })
})

describe('predicted refusals', () => {
  const CONTRACTOR = 'sam.reyes@northline.example'

  test('are known on the device, also offline: a contractor cannot verify actions or change sites', async () => {
    await using device = await openDevice(holdfast, { email: CONTRACTOR })
    const { database } = device
    const local = device.local
    const inState = (state: string): Promise<RuleRow> =>
      database.get<RuleRow>('select * from actions where state = ? limit 1', [state])
    const [doing, done] = [await inState('doing'), await inState('to_verify')]
    const site = await database.get<RuleRow>('select * from sites limit 1')
    const change = (action: RuleRow, state: string): PlannedWrite => ({
      table: 'actions',
      command: 'update',
      before: action,
      after: { ...action, state },
      changed: ['state'],
    })
    const writes: readonly PlannedWrite[] = [
      change(doing, 'to_verify'),
      change(done, 'verified'),
      { table: 'sites', command: 'update', before: site, after: { ...site, name: 'New' }, changed: ['name'] },
      { table: 'inspections', command: 'insert', after: {} },
    ]
    await vi.waitFor(
      async () => {
        // The first rows change the inputs of the rules, so the device fetches the rules again.
        local.connect()
        await vi.waitFor(async () => expect((await local.judge(writes))[0]?.kind).toBe('allowed'), { timeout: 60_000 })
        await local.disconnect()
        expect((await local.judge(writes))[0]?.kind).toBe('allowed')
      },
      { timeout: 100_000, interval: 1_000 },
    )
    const [, verified, renamed, created] = await local.judge(writes)
    expect(verified).toMatchObject({
      refusal: {
        reason: 'restriction',
        policies: [{ words: "Only a lead of the action's team verifies it, or changes it afterwards." }],
      },
    })
    expect(renamed).toMatchObject({ refusal: { reason: 'permission', policies: [{ name: 'lead_edits' }] } })
    expect(created).toMatchObject({ refusal: { reason: 'permission', policies: [{ name: 'team_adds' }] } })
  })
})
