import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RelationList, RowChangeOutcome, TableDetails, TableList, TablePage, TableRow } from '@holdfast/protocol'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { type ConsoleBrowser, openOperator, openOwner } from './console-world.ts'

// The tables of the console: what is shown of them, whose rights reads and changes have, and that values arrive as they are.

let holdfast: Holdfast
let developer: ConsoleBrowser
let viewer: ConsoleBrowser
let ada: string

const POSTGRES = { kind: 'postgres' }

beforeAll(async () => {
  holdfast = await openHoldfast()
  const owner = await openOwner(holdfast)
  developer = await openOperator(holdfast, owner, 'developer')
  viewer = await openOperator(holdfast, owner, 'viewer')
  const { user } = await owner.ask<{ user: { id: string } }>('POST /users', {
    email: 'ada@example.org',
    email_confirm: true,
  })
  ada = user.id
  for (const statement of [
    sql`create table public.notes (id int primary key, author uuid, body text)`,
    sql`alter table public.notes enable row level security`,
    sql`create policy "read own" on public.notes for select using (author = auth.uid() or id = 2)`,
    sql`create policy "change own" on public.notes for update using (author = auth.uid()) with check (author = auth.uid())`,
    sql`create policy "add own" on public.notes for insert with check (author = auth.uid())`,
    sql`grant all on public.notes to anon, authenticated`,
  ])
    await holdfast.admin.execute(statement)
  await holdfast.admin.execute(
    sql`insert into public.notes values (1, ${ada}, 'hers'), (2, gen_random_uuid(), 'shown to all'), (3, gen_random_uuid(), 'not hers')`,
  )
})
afterAll(() => holdfast[Symbol.asyncDispose]())

const read = (table: string, more: object = {}): Promise<TablePage> =>
  developer.ask<TablePage>('POST /tables/rows', { schema: 'public', table, as: POSTGRES, filters: [], ...more })

const firstCells = ({ rows }: TablePage): unknown[] => rows.map(({ cells }) => cells[0])

async function only(table: string, column: string, value: string): Promise<TableRow> {
  const { rows } = await read(table, { filters: [{ column, operator: 'equals', value }] })
  if (!rows[0]) throw new Error('the row is missing')
  return rows[0]
}

/** Reads all pages. */
async function readAll(table: string, more: object): Promise<unknown[]> {
  const found: unknown[] = []
  let after: string | undefined
  for (let pages = 0; pages < 50; pages += 1) {
    const page = await read(table, { ...more, ...(after !== undefined && { after }) })
    found.push(...firstCells(page))
    if (page.next === undefined) return found
    after = page.next
  }
  throw new Error('paging does not end')
}

describe('the list', () => {
  test('has tables with their size, row-level security and sync, and none of the schemas with secrets', async () => {
    const { schemas } = await viewer.ask<TableList>('GET /tables')
    expect(schemas[0]?.name).toBe('public')
    expect(schemas[0]?.tables.find(({ name }) => name === 'notes')).toMatchObject({ kind: 'table', rls: 'on' })
    const names = schemas.map(({ name }) => name)
    expect(names).toContain('auth')
    for (const hidden of ['holdfast_console', 'holdfast_private', 'vault', 'sync', 'pg_catalog'])
      expect(names).not.toContain(hidden)
  })

  test('says why a table does not sync', async () => {
    const { schemas } = await viewer.ask<TableList>('GET /tables')
    const users = schemas.find(({ name }) => name === 'auth')?.tables.find(({ name }) => name === 'users')
    expect(users?.sync).toEqual({ state: 'none', reason: 'It belongs to Holdfast.' })
  })

  test('relations are the foreign keys between tables that are shown', async () => {
    await holdfast.admin.withClient((client) =>
      client.query(`create table public.halls (site int, hall int, primary key (site, hall));
        create table public.racks (id int primary key, site int, hall int, foreign key (site, hall) references public.halls)`),
    )
    const { relations, isCut } = await viewer.ask<RelationList>('GET /tables/relations')
    expect(isCut).toBe(false)
    expect(relations.find(({ table }) => table === 'racks')).toEqual({
      name: 'racks_site_hall_fkey',
      schema: 'public',
      table: 'racks',
      columns: ['site', 'hall'],
      targetSchema: 'public',
      targetTable: 'halls',
      targetColumns: ['site', 'hall'],
    })
    const schemas = new Set(relations.flatMap(({ schema, targetSchema }) => [schema, targetSchema]))
    for (const hidden of ['holdfast_console', 'holdfast_private', 'vault', 'sync'])
      expect(schemas).not.toContain(hidden)
  })

  test('details name columns, keys, policies and grants', async () => {
    const details = await viewer.ask<TableDetails>('GET /tables/details?schema=public&table=notes')
    expect(details.key).toEqual(['id'])
    expect(details.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'id integer',
      'author uuid',
      'body text',
    ])
    expect(details.policies.map(({ name, command }) => `${name}: ${command}`)).toEqual([
      'add own: insert',
      'change own: update',
      'read own: select',
    ])
    expect(details.grants.find(({ role }) => role === 'anon')?.privileges).toEqual([
      'select',
      'insert',
      'update',
      'delete',
    ])
  })
})

describe('secrets', () => {
  test('of accounts are in no answer, and can be neither filtered nor sorted by', async () => {
    const auth = (table: string, more: object = {}): object => ({
      schema: 'auth',
      table,
      as: POSTGRES,
      filters: [],
      ...more,
    })
    const page = await developer.ask<TablePage>('POST /tables/rows', auth('users'))
    expect(page.columns).toContain('email')
    expect(page.columns).not.toContain('encrypted_password')
    for (const more of [
      { sort: { column: 'encrypted_password', isDescending: false } },
      { filters: [{ column: 'encrypted_password', operator: 'starts_with', value: '$2' }] },
    ])
      expect(await developer.refusal('POST /tables/rows', auth('users', more))).toBe('400 invalid_request')
    const value = { ...auth('users'), address: [ada], column: 'encrypted_password' }
    expect(await developer.refusal('POST /tables/value', value)).toBe('400 invalid_request')
  })

  test('are all columns of auth except these', async () => {
    const { schemas } = await viewer.ask<TableList>('GET /tables')
    const readable: string[] = []
    for (const { name } of schemas.find((one) => one.name === 'auth')?.tables ?? []) {
      const { columns } = await viewer.ask<TableDetails>(`GET /tables/details?schema=auth&table=${name}`)
      const names = columns.filter(({ isSecret }) => !isSecret).map((column) => column.name)
      readable.push(`${name}: ${names.toSorted().join(' ')}`)
    }
    expect(readable).toMatchInlineSnapshot(`
      [
        "address_limits: kind level updated_at",
        "audit_log_entries: created_at id instance_id ip_address payload",
        "custom_oauth_providers: acceptable_client_ids attribute_mapping authorization_params authorization_url cached_discovery client_id created_at custom_claims_allowlist discovery_cached_at discovery_url email_optional enabled id identifier issuer name pkce_enabled provider_type scopes updated_at userinfo_url",
        "flow_state: authentication_method created_at email_optional id linking_target_id oauth_client_state_id provider_type referrer updated_at user_id",
        "identities: created_at email id identity_data last_sign_in_at provider provider_id updated_at user_id",
        "instances: created_at id updated_at uuid",
        "messages: attempts channel created_at id kind last_error next_attempt_at recipient sent_at status user_id",
        "mfa_amr_claims: authentication_method created_at id session_id updated_at",
        "mfa_challenges: created_at factor_id id ip_address verified_at",
        "mfa_factors: created_at factor_type failed_attempts failed_since friendly_name id last_used_step phone status updated_at user_id web_authn_aaguid",
        "mfa_recovery_codes: created_at factor_id used_at",
        "oauth_authorizations: approved_at client_id created_at expires_at id redirect_uri resource response_type scope session_id status user_id",
        "oauth_client_states: created_at id provider_type",
        "oauth_clients: client_name client_type client_uri created_at deleted_at grant_types id logo_uri redirect_uris registration_type updated_at",
        "oauth_consents: client_id granted_at id revoked_at scopes user_id",
        "one_time_tokens: created_at id updated_at user_id",
        "rate_limits: full_at name",
        "refresh_tokens: created_at id instance_id revoked session_id updated_at user_id",
        "saml_providers: attribute_mapping created_at entity_id id metadata_url metadata_xml name_id_format sso_provider_id updated_at",
        "saml_relay_states: created_at flow_state_id for_email id redirect_to request_id sso_provider_id updated_at",
        "schema_migrations: version",
        "sessions: aal created_at factor_id id ip not_after oauth_client_id refreshed_at scopes tag updated_at user_agent user_id",
        "signing_keys: algorithm created_at kid status updated_at",
        "sso_domains: created_at domain id sso_provider_id updated_at",
        "sso_providers: created_at disabled id resource_id updated_at",
        "unverified_credentials: channel created_at user_id",
        "users: aud banned_until confirmation_sent_at confirmed_at created_at deleted_at email email_change email_change_confirm_status email_change_sent_at email_confirmed_at id instance_id invited_at is_anonymous is_sso_user is_super_admin last_sign_in_at phone phone_change phone_change_sent_at phone_confirmed_at raw_app_meta_data raw_user_meta_data reauthentication_sent_at recovery_sent_at role updated_at",
        "webauthn_challenges: created_at expires_at id user_id",
        "webauthn_credentials: aaguid attestation_type backed_up backup_eligible created_at credential_id friendly_name id last_used_at sign_count transports updated_at user_id",
      ]
    `)
  })

  test('of the console cannot be named', async () => {
    const target = { schema: 'holdfast_console', table: 'operators', as: POSTGRES, filters: [] }
    expect(await developer.refusal('POST /tables/rows', target)).toBe('404 no_such_table')
    expect(await developer.refusal('GET /tables/details?schema=vault&table=secrets')).toBe('404 no_such_table')
  })

  test('viewers read no rows', async () => {
    expect(
      await viewer.refusal('POST /tables/rows', { schema: 'public', table: 'notes', as: POSTGRES, filters: [] }),
    ).toBe('403 role_too_low')
  })
})

describe('rights', () => {
  test('are those of the chosen user', async () => {
    expect(firstCells(await read('notes'))).toEqual(['1', '2', '3'])
    expect(firstCells(await read('notes', { as: { kind: 'user', id: ada } }))).toEqual(['1', '2'])
    expect(firstCells(await read('notes', { as: { kind: 'anon' } }))).toEqual(['2'])
    const unknown = { kind: 'user', id: '00000000-0000-4000-8000-000000000000' }
    expect(
      await developer.refusal('POST /tables/rows', { schema: 'public', table: 'notes', as: unknown, filters: [] }),
    ).toBe('400 invalid_request')
  })

  test('a policy that refuses a new row is quoted', async () => {
    const values = [{ column: 'id', value: '9' }]
    const answer = await developer.call('POST /tables/rows/insert', {
      schema: 'public',
      table: 'notes',
      as: { kind: 'user', id: ada },
      values,
    })
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'query_refused', message: 'new row violates row-level security policy for table "notes".' },
    })
  })

  test('a visible row that no policy lets the user change is told from a missing one', async () => {
    const row = await only('notes', 'id', '2')
    const change = {
      schema: 'public',
      table: 'notes',
      as: { kind: 'user', id: ada },
      row,
      values: [{ column: 'body', value: 'x' }],
    }
    expect(await developer.refusal('POST /tables/rows/update', change)).toBe('422 change_hidden')
    const hidden = await only('notes', 'id', '3')
    expect(await developer.ask('POST /tables/rows/update', { ...change, row: hidden })).toEqual({ state: 'gone' })
  })
})

describe('changes', () => {
  test('are refused with the current values if the row has changed since', async () => {
    const row = await only('notes', 'id', '1')
    const change = { schema: 'public', table: 'notes', as: POSTGRES, row, values: [{ column: 'body', value: 'mine' }] }
    await holdfast.admin.execute(sql`update public.notes set body = 'theirs' where id = 1`)
    const stale = await developer.ask<RowChangeOutcome>('POST /tables/rows/update', change)
    expect(stale).toMatchObject({ state: 'stale', current: { cells: ['1', ada, 'theirs'] } })
    const current = stale.state === 'stale' ? stale.current : row
    expect(await developer.ask('POST /tables/rows/update', { ...change, row: current })).toEqual({
      state: 'done',
      count: 1,
    })
    const remove = { schema: 'public', table: 'notes', as: POSTGRES, rows: [current] }
    expect(await developer.ask('POST /tables/rows/delete', remove)).toMatchObject({ state: 'stale' })
  })

  test('are in the audit log with the values before and after', async () => {
    await holdfast.admin.execute(sql`create table public.logged (id int primary key, body text)`)
    await holdfast.admin.execute(sql`insert into public.logged values (1, 'before')`)
    const row = await only('logged', 'id', '1')
    await developer.ask('POST /tables/rows/update', {
      schema: 'public',
      table: 'logged',
      as: POSTGRES,
      row,
      values: [{ column: 'body', value: 'after' }],
    })
    const changed = await only('logged', 'id', '1')
    await developer.ask('POST /tables/rows/delete', {
      schema: 'public',
      table: 'logged',
      as: POSTGRES,
      rows: [changed],
    })
    const { entries } = await developer.ask<{ entries: readonly Record<string, unknown>[] }>(
      'GET /audit?target=public.logged&limit=10',
    )
    expect(entries.filter(({ action }) => action !== 'read_rows')).toMatchObject([
      { action: 'delete_rows', target: 'table public.logged as postgres', before: [{ id: '1', body: 'after' }] },
      { action: 'update_row', before: { body: 'before' }, after: { body: 'after' } },
    ])
  })

  test('of a schema of Holdfast are refused', async () => {
    const insert = { schema: 'auth', table: 'users', as: POSTGRES, values: [] }
    expect(await developer.refusal('POST /tables/rows/insert', insert)).toBe('422 table_read_only')
  })

  test('do not round, shorten or merge values', async () => {
    await holdfast.admin.execute(sql`
      create table public.kinds (id bigint primary key, n numeric, f double precision, t timestamptz, txt text, v varchar(3), j jsonb, b bytea, a text[], r int4range)`)
    const values = {
      id: '9223372036854775807',
      n: '123456789012345678901234567890.000000000000000000001',
      f: '0.1',
      t: 'infinity',
      txt: '',
      v: null,
      j: '{"a": 1.00}',
      b: String.raw`\xdeadbeef`,
      a: '{"a,b",NULL,""}',
      r: '[1,5)',
    }
    const given = Object.entries(values).map(([column, value]) => ({ column, value }))
    const target = { schema: 'public', table: 'kinds', as: POSTGRES }
    await developer.ask('POST /tables/rows/insert', { ...target, values: given })
    expect((await read('kinds')).rows[0]?.cells).toEqual(Object.values(values))
    const long = { ...target, row: await only('kinds', 'id', values.id), values: [{ column: 'v', value: 'abcd' }] }
    expect((await developer.call('POST /tables/rows/update', long)).body['message']).toContain(
      'value too long for type character varying(3)',
    )
  })

  test('to a table without a key find the row by its place', async () => {
    await holdfast.admin.execute(sql`create table public.keyless (body text)`)
    await holdfast.admin.execute(sql`insert into public.keyless values ('same'), ('same'), ('other')`)
    const { rows } = await read('keyless')
    await developer.ask('POST /tables/rows/delete', {
      schema: 'public',
      table: 'keyless',
      as: POSTGRES,
      rows: [rows[1]],
    })
    expect(firstCells(await read('keyless'))).toEqual(['same', 'other'])
  })
})

describe('pages', () => {
  test.each([
    ['by key', {}],
    ['ascending by a nullable column with ties', { sort: { column: 'c', isDescending: false } }],
    ['descending by it', { sort: { column: 'c', isDescending: true } }],
    ['by a second column of the key', { sort: { column: 'b', isDescending: true } }],
    [
      'filtered',
      { sort: { column: 'c', isDescending: false }, filters: [{ column: 'b', operator: 'at_least', value: '1' }] },
    ],
  ])('have each row once, in the order of a single page: %s', async (_how, more) => {
    await holdfast.admin.execute(
      sql`create table if not exists public.paged (label text, a int, b int, c numeric, primary key (a, b))`,
    )
    await holdfast.admin.execute(sql`
      insert into public.paged select n::text, n / 3, n % 3, case when n % 4 = 0 then null else n % 5 end from generate_series(1, 40) n on conflict do nothing`)
    const whole = firstCells(await read('paged', { ...more, limit: 200 }))
    expect(new Set(whole).size).toBe(whole.length)
    expect(await readAll('paged', { ...more, limit: 7 })).toEqual(whole)
  })

  test('of a table without a key follow the places, or a sorted column', async () => {
    await holdfast.admin.execute(sql`create table public.placed as select n as v from generate_series(1, 30) n`)
    expect(await readAll('placed', { limit: 7 })).toHaveLength(30)
    expect(await readAll('placed', { limit: 7, sort: { column: 'v', isDescending: true } })).toEqual(
      Array.from({ length: 30 }, (_none, at) => String(30 - at)),
    )
  })

  test('of a view end after the first one, and say so', async () => {
    await holdfast.admin.execute(sql`create view public.seen as select n from generate_series(1, 300) n`)
    const page = await read('seen', { limit: 100 })
    expect(page).toMatchObject({ isLimited: true })
    expect(page.next).toBeUndefined()
  })

  test('cut large values, which are loaded whole', async () => {
    await holdfast.admin.execute(sql`create table public.large (id int primary key, t text, b bytea, j jsonb)`)
    await holdfast.admin.execute(sql`
      insert into public.large values (1, repeat('é', 500000), decode(repeat('ab', 5000), 'hex'), jsonb_build_object('x', repeat('y', 10000)))`)
    const { rows } = await read('large')
    expect(rows[0]?.cells.slice(1)).toMatchObject([
      { bytes: 1_000_000, start: 'é'.repeat(200) },
      { bytes: 5_000 },
      { bytes: 10_009 },
    ])
    const target = { schema: 'public', table: 'large', as: POSTGRES, address: ['1'] }
    const { value } = await developer.ask<{ value: string }>('POST /tables/value', { ...target, column: 't' })
    expect(value).toHaveLength(500_000)
  })

  test('compare by the type of the column, and quote Postgres about other values', async () => {
    const less = { filters: [{ column: 'id', operator: 'less', value: '10' }] }
    expect((await read('notes', less)).rows.length).toBe(3)
    const wrong = await developer.call('POST /tables/rows', {
      schema: 'public',
      table: 'notes',
      as: POSTGRES,
      filters: [{ column: 'id', operator: 'equals', value: "1' or true --" }],
    })
    expect(wrong).toMatchObject({
      status: 422,
      body: { message: `invalid input syntax for type integer: "1' or true --".` },
    })
  })

  test('are refused in time, with the index that is missing', async () => {
    await holdfast.admin.execute(
      sql`create function public.slow(int) returns int language sql volatile as 'select $1 from pg_sleep(20)'`,
    )
    await holdfast.admin.execute(sql`create table public.waits (id int primary key, n int)`)
    await holdfast.admin.execute(sql`insert into public.waits values (1, 1)`)
    await holdfast.admin.execute(sql`alter table public.waits enable row level security`)
    await holdfast.admin.execute(sql`create policy slow on public.waits using (public.slow(n) = 1)`)
    await holdfast.admin.execute(sql`grant select on public.waits to anon`)
    const filters = [{ column: 'n', operator: 'equals', value: '1' }]
    const answer = await developer.call('POST /tables/rows', {
      schema: 'public',
      table: 'waits',
      as: { kind: 'anon' },
      filters,
    })
    const hint = 'create index concurrently on "public"."waits" ("n");'
    expect(answer).toMatchObject({ status: 408, body: { code: 'rows_timeout', hint } })
    expect(answer.body['message']).toContain('An index on n may help.')
  })
})

test.each(['Straße 1', 'a"b', "it's", 'SELECT', 'UPPER', '🦉', 'x'.repeat(63), '%_\\', '__proto__'])(
  'a table and column named %s are read and changed like others',
  async (name) => {
    await holdfast.admin.execute(
      sql`create table public.${sql.identifier(name)} (${sql.identifier(name)} text primary key)`,
    )
    const target = { schema: 'public', table: name, as: POSTGRES }
    await developer.ask('POST /tables/rows/insert', { ...target, values: [{ column: name, value: 'one' }] })
    const row = await only(name, name, 'one')
    await developer.ask('POST /tables/rows/update', { ...target, row, values: [{ column: name, value: 'two' }] })
    expect(firstCells(await read(name, { sort: { column: name, isDescending: true } }))).toEqual(['two'])
    const query = new URLSearchParams({ schema: 'public', table: name })
    expect(await viewer.ask(`GET /tables/details?${query}`)).toMatchObject({ key: [name] })
  },
)
