import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SavedQuery, SqlHistoryEntry, SqlOutcome } from '@holdfast/protocol'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { type ConsoleBrowser, openConsoleBrowser, openOperator, openOwner } from './console-world.ts'

// What the SQL editor keeps of queries, who reads it, and plans.

let holdfast: Holdfast
let owner: ConsoleBrowser
let developer: ConsoleBrowser
let colleague: ConsoleBrowser
let viewer: ConsoleBrowser

beforeAll(async () => {
  holdfast = await openHoldfast()
  owner = await openOwner(holdfast)
  developer = await openOperator(holdfast, owner, 'developer')
  colleague = await openOperator(holdfast, owner, 'developer', 'colleague@ops.example')
  viewer = await openOperator(holdfast, owner, 'viewer')
  await holdfast.admin.execute(sql`create table public.notes (id int primary key, author uuid, body text)`)
  await holdfast.admin.execute(sql`alter table public.notes enable row level security`)
  await holdfast.admin.execute(sql`create policy own on public.notes using (author = (select auth.uid()))`)
  await holdfast.admin.execute(
    sql`insert into public.notes select n, null, 'note' from generate_series(1, 1000) n; analyze public.notes`,
  )
})
afterAll(() => holdfast[Symbol.asyncDispose]())

const AS = { kind: 'postgres' }
const run = (text: string, more: object = {}, browser = developer): Promise<SqlOutcome> =>
  browser.ask<SqlOutcome>('POST /sql', { text, as: AS, ...more })
const runsOf = async (browser: ConsoleBrowser): Promise<readonly SqlHistoryEntry[]> =>
  (await browser.ask<{ runs: readonly SqlHistoryEntry[] }>('GET /sql/history')).runs
const queriesOf = async (browser: ConsoleBrowser): Promise<readonly SavedQuery[]> =>
  (await browser.ask<{ queries: readonly SavedQuery[] }>('GET /sql/saved')).queries

describe('the history', () => {
  test('has an operator’s own runs, newest first, failed ones with their error', async () => {
    await run('select 1 as first')
    await run('select nonsense')
    await developer.refusal('POST /sql', { text: 'select 2', as: { kind: 'user', id: 'nobody@example.org' } })
    const [refused, failed, done] = await runsOf(developer)
    expect(refused).toMatchObject({ start: 'select 2', ms: null, error: 'There is no such user.' })
    expect(failed).toMatchObject({ start: 'select nonsense', target: 'as postgres' })
    expect(failed?.error).toContain('nonsense')
    expect(done).toMatchObject({ start: 'select 1 as first', explain: null, error: null })
    expect(done?.ms).toBeGreaterThanOrEqual(0)
    expect(await developer.ask(`GET /sql/history/${done?.id}`)).toEqual({ text: 'select 1 as first', isCut: false })
  })

  test('is not read by other operators', async () => {
    await run('select 3 as mine')
    const [mine] = await runsOf(developer)
    expect((await runsOf(colleague)).map(({ start }) => start)).not.toContain('select 3 as mine')
    expect(await colleague.refusal(`GET /sql/history/${mine?.id}`)).toBe('404 query_unknown')
    expect(await owner.refusal(`GET /sql/history/${mine?.id}`)).toBe('404 query_unknown')
  })

  test('keeps no passwords of roles, and the start of long texts', async () => {
    await run("alter role nobody_there password 'the secret word'")
    await run(`select '${'€'.repeat(20_000)}'`)
    const [long, password] = await runsOf(developer)
    expect(await developer.ask(`GET /sql/history/${password?.id}`)).toMatchObject({
      text: "alter role nobody_there password '…'",
    })
    const { text, isCut } = await developer.ask<{ text: string; isCut: boolean }>(`GET /sql/history/${long?.id}`)
    expect(isCut).toBe(true)
    expect(text).toMatch(/^select '€{1000}/)
    const { entries } = await owner.ask<{ entries: unknown }>('GET /audit?action=run_sql&limit=10')
    expect(JSON.stringify(entries)).not.toContain('the secret word')
  })

  test('ends with the last 200', async () => {
    await holdfast.internal.execute(sql`
      insert into holdfast_console.audit_log (operator_id, operator, action, after)
      select o.id, o.email, 'run_sql', jsonb_build_object('text', 'select ' || n)
        from holdfast_console.operators o, generate_series(1, 250) n where o.email = 'colleague@ops.example'`)
    const runs = await runsOf(colleague)
    expect(runs).toHaveLength(200)
    expect(runs[0]?.start).toBe('select 250')
  })
})

describe('saved queries', () => {
  const save = async (browser: ConsoleBrowser, name: string, isShared: boolean): Promise<string> =>
    (await browser.ask<{ id: string }>('POST /sql/saved', { name, text: `select '${name}'`, isShared })).id

  test('are renamed, changed and deleted by their author', async () => {
    const id = await save(developer, 'Orders', false)
    await developer.ask(`PATCH /sql/saved/${id}`, { name: 'All orders', text: 'select * from orders' })
    expect(await developer.ask(`GET /sql/saved/${id}`)).toEqual({
      name: 'All orders',
      text: 'select * from orders',
      isShared: false,
      isMine: true,
    })
    expect(await queriesOf(developer)).toMatchObject([{ id, name: 'All orders', isMine: true, author: 'developer' }])
    await developer.ask(`DELETE /sql/saved/${id}`)
    expect(await developer.refusal(`GET /sql/saved/${id}`)).toBe('404 query_unknown')
  })

  test('are read by others if they are shared, and only their author changes them', async () => {
    const [shared, hidden] = [await save(developer, 'Shared', true), await save(developer, 'Private', false)]
    expect(await queriesOf(colleague)).toMatchObject([{ id: shared, isMine: false, author: 'developer' }])
    expect(await colleague.refusal(`PATCH /sql/saved/${shared}`, { text: 'select 2' })).toBe('403 not_your_query')
    expect(await colleague.refusal(`DELETE /sql/saved/${shared}`)).toBe('403 not_your_query')
    for (const browser of [colleague, owner]) {
      expect(await browser.refusal(`GET /sql/saved/${hidden}`)).toBe('404 query_unknown')
      expect(await browser.refusal(`PATCH /sql/saved/${hidden}`, { isShared: true })).toBe('404 query_unknown')
      expect(await browser.refusal(`DELETE /sql/saved/${hidden}`)).toBe('404 query_unknown')
    }
    const { entries } = await colleague.ask<{ entries: unknown }>('GET /audit?target=query&limit=50')
    expect(JSON.stringify(entries)).toContain('Shared')
    expect(JSON.stringify(entries)).not.toContain('Private')
    await owner.ask(`DELETE /sql/saved/${shared}`)
    await developer.ask(`DELETE /sql/saved/${hidden}`)
  })

  test('that are shared outlive their author; private ones do not', async () => {
    const leaving = await openOperator(holdfast, owner, 'developer', 'leaving@ops.example')
    const [shared, hidden] = [await save(leaving, 'Stays', true), await save(leaving, 'Goes', false)]
    const { operators } = await owner.ask<{ operators: { id: string; email: string }[] }>('GET /operators')
    await owner.ask(`DELETE /operators/${operators.find(({ email }) => email === 'leaving@ops.example')?.id}`)
    expect(await queriesOf(developer)).toMatchObject([{ id: shared, author: null, isMine: false }])
    expect(
      await holdfast.internal.query(sql`select from holdfast_console.saved_queries where id::text = ${hidden}`),
    ).toEqual([])
    await owner.ask(`DELETE /sql/saved/${shared}`)
  })

  test('are bounded in number, name and size', async () => {
    await holdfast.internal.execute(sql`
      insert into holdfast_console.saved_queries (operator_id, name, text, is_shared)
      select id, 'query ' || n, 'select 1', false
        from holdfast_console.operators, generate_series(1, 200) n where email = 'olga@ops.example'`)
    const query = { name: 'one more', text: 'select 1', isShared: true }
    expect(await owner.refusal('POST /sql/saved', query)).toBe('409 too_many_queries')
    expect(await developer.refusal('POST /sql/saved', { ...query, name: ' ' })).toBe('400 invalid_request')
    expect(await developer.refusal('POST /sql/saved', { ...query, text: 'x'.repeat(50_001) })).toBe(
      '400 invalid_request',
    )
  })
})

describe('a plan', () => {
  interface Plan {
    readonly Plan: Readonly<Record<string, unknown>> & { readonly Plans?: readonly Readonly<Record<string, unknown>>[] }
    readonly 'Execution Time'?: number
  }
  const planOf = ({ results }: SqlOutcome): Plan | undefined =>
    (JSON.parse(results[0]?.rows[0]?.[0] ?? '[]') as Plan[])[0]

  test('has the times and buffers of a run, with the policies of the user', async () => {
    const plan = planOf(
      await run('select body from public.notes where id < 10', { explain: 'analyze', as: { kind: 'anon' } }),
    )
    expect(plan?.['Execution Time']).toBeGreaterThan(0)
    expect(plan?.Plan).toMatchObject({ 'Actual Rows': 0, 'Shared Hit Blocks': expect.any(Number) })
    expect(JSON.stringify(plan)).toContain('author = ')
  })

  test('without analyze does not run the statement', async () => {
    const plan = planOf(await run('select pg_sleep(60)', { explain: 'plan', isReadOnly: true }))
    expect(plan?.Plan['Plan Rows']).toBe(1)
    expect(plan?.['Execution Time']).toBeUndefined()
  })

  test('of a statement that writes is measured, and its changes are rolled back', async () => {
    const plan = planOf(await run('delete from public.notes returning id;', { explain: 'analyze' }))
    expect(plan?.Plan).toMatchObject({ 'Node Type': 'ModifyTable', 'Actual Rows': 1000 })
    expect(await holdfast.admin.query(sql`select from public.notes`)).toHaveLength(1_000)
    const { error } = await run('delete from public.notes', { explain: 'analyze', isReadOnly: true })
    expect(error).toMatchObject({ code: '25006', hint: expect.stringContaining('rolled back') })
    const [failed, done] = await runsOf(developer)
    expect([failed?.explain, done?.explain]).toEqual(['analyze', 'analyze'])
  })

  test('is of one statement, and errors name their place in the text', async () => {
    const errorOf = async (text: string) => (await run(text, { explain: 'analyze' })).error
    expect(await errorOf('-- first\nselect nonsense')).toMatchObject({ code: '42703', position: 17 })
    expect(await errorOf('select 1;\ndelete from public.notes; commit')).toMatchObject({
      message: expect.stringContaining('Line 2'),
      position: 11,
    })
    expect(await errorOf('explain select 1')).toMatchObject({ message: 'Leave EXPLAIN out: it is added.' })
    expect((await errorOf('commit'))?.code).toBe('42601')
    expect((await errorOf('-- nothing'))?.message).toContain('no statement')
    expect(await holdfast.admin.query(sql`select from public.notes`)).toHaveLength(1_000)
  })
})

test.each(['GET /sql/history', 'GET /sql/history/1', 'GET /sql/saved', 'GET /sql/saved/1'])(
  '%s needs the role developer',
  async (target) => {
    expect(await viewer.refusal(target)).toBe('403 role_too_low')
    expect(await openConsoleBrowser(holdfast).refusal(target)).toBe('401 not_signed_in')
  },
)
test.each(['POST /sql/saved', 'PATCH /sql/saved/1', 'DELETE /sql/saved/1'])(
  '%s needs the role developer',
  async (target) => {
    expect(await viewer.refusal(target, {})).toBe('403 role_too_low')
    expect(await openConsoleBrowser(holdfast).refusal(target, {})).toBe('401 not_signed_in')
  },
)
