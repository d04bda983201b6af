import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type ReadViewNeeds, readView, ROWS_MAX } from '../src/workspaces/shared-views/read-view.ts'
import { renderView } from '../src/workspaces/shared-views/view-page.ts'
import { openAccessWorld, sessionOf, USERS, type AccessWorld, type UserName } from './access-world.ts'

// Read-only pages of views: who makes and ends links, and that a page shows exactly the records of the view that its maker sees.

let world: AccessWorld
let needs: ReadViewNeeds
beforeAll(async () => {
  world = await openAccessWorld()
  const claims = new Map(
    Object.keys(USERS).map((user) => [USERS[user as UserName].id as string, sessionOf(user as UserName).claims]),
  )
  needs = { pool: world.database.pool, requests: world.database.requestPool, claimsOf: async (id) => claims.get(id) }
})
beforeEach(async () => {
  const { pool } = world.database
  await pool.execute(sql`
    delete from public.jobs; delete from holdfast.view_links;
    update holdfast.members set role = 'admin', status = 'active', expires_at = null where name = 'adam'`)
})
afterAll(() => world[Symbol.asyncDispose]())

const FIELDS = [{ field: 'title', label: 'Title' }]
const IN_A_WEEK = sql`now() + interval '7 days'`

async function create(
  user: UserName,
  definition: object = { fields: FIELDS },
  expires = IN_A_WEEK,
  workspace = world.workspace,
): Promise<{ id: string; slug: string }> {
  const [row] = await world.as<{ link: { id: string; slug: string } }>(
    user,
    sql`select holdfast.create_view_link(${workspace}, 'jobs', null, 'Open jobs', ${JSON.stringify(definition)}::jsonb, ${expires}) as link`,
  )
  return row?.link ?? { id: '', slug: '' }
}

const fill = (rows: readonly object[]): Promise<unknown> =>
  world.database.pool.execute(sql`
    insert into public.jobs (title, state, n, is_urgent, day, price, assignee_id)
    select title, state, n, is_urgent, day, price, assignee_id from jsonb_populate_recordset(null::public.jobs, ${JSON.stringify(rows)}::jsonb)`)

const titles = async (slug: string, after?: string): Promise<readonly unknown[]> =>
  (await readView(needs, slug, after)).rows.map(([title]) => title)

describe('a link', () => {
  test.each(['edda', 'vera', 'gus', 'mole'] as const)('is not made by %s', async (user) => {
    await expect(create(user)).rejects.toMatchObject({ code: '42501' })
  })

  test.each([
    ['without fields', { fields: [] }, IN_A_WEEK, 'view_link.fields'],
    ['with a field that is not there', { fields: [{ field: 'gone', label: 'x' }] }, IN_A_WEEK, 'view_link.fields'],
    ['that has expired', { fields: FIELDS }, sql`now()`, 'view_link.expiry'],
    ['for years', { fields: FIELDS }, sql`now() + interval '2 years'`, 'view_link.expiry'],
  ])('%s is refused', async (_, definition, expires, hint) => {
    await expect(create('adam', definition, expires)).rejects.toMatchObject({ hint })
  })

  test('is guessed by nobody, and listed for admins of its workspace only', async () => {
    const { slug } = await create('adam')
    await expect(titles(slug.replace(/./, (letter) => (letter === 'A' ? 'B' : 'A')))).rejects.toMatchObject({
      code: 'link_not_found',
    })
    await expect(titles("' or true --")).rejects.toMatchObject({ status: 404 })
    const listed = async (user: UserName): Promise<number> =>
      (await world.as(user, sql`select from holdfast.view_links`)).length
    expect([await listed('olga'), await listed('edda'), await listed('gus'), await listed('mole')]).toEqual([
      1, 0, 0, 0,
    ])
  })

  test('ends when it is revoked, by an admin of its workspace', async () => {
    const { id, slug } = await create('adam')
    for (const user of ['edda', 'mole'] as const)
      await expect(world.as(user, sql`select holdfast.revoke_view_link(${id})`)).rejects.toMatchObject({
        code: '42501',
      })
    expect(await titles(slug)).toEqual([])
    await world.as('olga', sql`select holdfast.revoke_view_link(${id})`)
    await expect(titles(slug)).rejects.toMatchObject({ status: 410, code: 'link_ended' })
  })

  test.each([
    ['is no longer an admin', sql`update holdfast.members set role = 'editor' where name = 'adam'`],
    ['was deactivated', sql`update holdfast.members set status = 'deactivated' where name = 'adam'`],
  ])('ends when its maker %s', async (_, change) => {
    const { slug } = await create('adam')
    await world.database.pool.execute(change).catch((error: unknown) => expect.fail(String(error)))
    await expect(titles(slug)).rejects.toMatchObject({ code: 'link_ended' })
  })

  test('ends with the ban of the account that made it', async () => {
    const { slug } = await create('adam')
    const ban = (until: string | null): Promise<unknown> =>
      world.database.pool.execute(sql`update auth.users set banned_until = ${until} where id = ${USERS.adam.id}`)
    await ban('2100-01-01')
    await expect(titles(slug)).rejects.toMatchObject({ code: 'link_ended' })
    await ban(null)
    expect(await titles(slug)).toEqual([])
  })

  test('ends at its time, and tells when it was last opened', async () => {
    const { slug } = await create('adam')
    await titles(slug)
    const [row] = await world.as<{ is: boolean }>(
      'olga',
      sql`select opened_at > now() - interval '2 minutes' as is from holdfast.view_links`,
    )
    expect(row).toEqual({ is: true })
    await world.database.pool.execute(sql`update holdfast.view_links set expires_at = now()`)
    await expect(titles(slug)).rejects.toMatchObject({ code: 'link_ended' })
  })
})

const ROWS = [
  { title: 'Älter', state: 'open', n: 1, is_urgent: true, day: '2026-01-01', price: 1.5 },
  { title: '100%_"done"', state: 'done', n: 2, is_urgent: false, day: '2026-02-28' },
  { title: '', state: 'blocked', n: 10, day: '2099-01-01' },
  { title: null, state: null, n: null },
]
const condition = (field: string, operator: string, ...values: readonly string[]): object => ({
  kind: 'condition',
  field,
  operator,
  values,
})

describe('a page', () => {
  test.each([
    [condition('state', 'in', 'open', ''), [1, null]],
    [condition('state', 'notin', 'open', 'done'), [10, null]],
    [condition('title', 'has', 'älT'), [1]],
    [condition('title', 'has', '%_'), [2]],
    [condition('title', 'hasnt', 'done'), [1, 10, null]],
    [condition('title', 'empty'), [10, null]],
    [condition('title', 'is', '100%_"DONE"'), [2]],
    [condition('n', 'gt', '1'), [2, 10]],
    [condition('n', 'isnt', '10'), [1, 2, null]],
    [condition('is_urgent', 'no'), [2]],
    [condition('day', 'before', 'today'), [1, 2]],
    [condition('day', 'is', '2026-02-28'), [2]],
    [condition('day', 'after', 'today-1'), [10]],
    [condition('day', 'before', 'week-1'), [1, 2]],
    [condition('day', 'after', 'month+1'), [10]],
    [condition('day', 'is', 'month'), []],
    [
      {
        kind: 'any',
        nodes: [
          condition('n', 'is', '1'),
          { kind: 'all', nodes: [condition('n', 'gte', '2'), condition('n', 'lt', '3')] },
        ],
      },
      [1, 2],
    ],
    [{ kind: 'all', nodes: [] }, [1, 2, 10, null]],
  ])('shows the records of the filter %j', async (filter, expected) => {
    await fill(ROWS)
    const { slug } = await create('adam', {
      fields: [{ field: 'n', label: 'N' }],
      filter,
      sort: [{ field: 'n', isDescending: false }],
    })
    expect((await readView(needs, slug, undefined)).rows.map(([n]) => n)).toEqual(expected)
  })

  test.each([
    condition('gone', 'empty'),
    condition('title', 'matches', 'x'),
    condition('n', 'is', '1; drop table x'),
    condition('day', 'is', 'soon'),
    condition('assignee_id', 'has', 'x'),
    { kind: 'none' },
    'true',
  ])('is not shown with a filter that it cannot follow: %j', async (filter) => {
    const { slug } = await create('adam', { fields: FIELDS, filter })
    await expect(titles(slug)).rejects.toMatchObject({ code: 'view_changed' })
  })

  test('shows titles of links, and never their ids', async () => {
    await fill([{ title: 'Pump', assignee_id: world.members['edda'] }])
    const fields = [{ field: 'assignee_id', label: 'Who' }]
    const [with_, without] = [
      await create('adam', { fields, titles: { assignee_id: 'name' } }),
      await create('adam', { fields }),
    ]
    expect((await readView(needs, with_.slug, undefined)).rows).toEqual([['edda']])
    expect((await readView(needs, without.slug, undefined)).rows).toEqual([[null]])
  })

  test('follows the one before it, in the order of the view, with values that are missing or equal', async () => {
    const rows = Array.from({ length: ROWS_MAX * 2 + 20 }, (_, at) => ({
      title: `j${at}`,
      n: at % 7 === 0 ? null : at % 5,
      day: at % 3 === 0 ? null : '2026-01-01',
    }))
    await fill(rows)
    const sort = [
      { field: 'n', isDescending: true },
      { field: 'day', isDescending: false },
    ]
    const { slug } = await create('adam', { fields: FIELDS, sort })
    const seen: unknown[] = []
    for (let after: string | undefined, pages = 0; pages < 4; pages++) {
      const page = await readView(needs, slug, after)
      seen.push(...page.rows.map(([title]) => title))
      after = page.next
      if (after === undefined) break
    }
    const expected = await world.database.pool.query<{ title: string }>(
      sql`select title from public.jobs order by n desc nulls last, day nulls last, id`,
    )
    expect(seen).toEqual(expected.map(({ title }) => title))
    expect(await readView(needs, slug, '00000000-0000-4000-8000-000000000000')).toMatchObject({
      rows: [],
      isLost: true,
    })
  })

  test('does not tell where a record that it does not show stands in a hidden order', async () => {
    await fill([
      { title: 'a', n: 1 },
      { title: 'b', n: 5 },
      { title: 'hidden', n: 3 },
    ])
    const filter = { kind: 'condition', field: 'title', operator: 'isnt', values: ['hidden'] }
    const { slug } = await create('adam', { fields: FIELDS, filter, sort: [{ field: 'n', isDescending: false }] })
    const [hidden] = await world.database.pool.query<{ id: string }>(
      sql`select id from public.jobs where title = 'hidden'`,
    )
    expect(await titles(slug)).toEqual(['a', 'b'])
    expect(await readView(needs, slug, hidden?.id)).toMatchObject({ rows: [], isLost: true })
  })

  test('shows a text that is a name of JavaScript', async () => {
    await fill([{ title: 'constructor' }])
    const { slug } = await create('adam', { fields: [{ field: 'title', label: 'Title', choices: { open: 'Open' } }] })
    expect(renderView(await readView(needs, slug, undefined), true)).toContain('>constructor<')
  })

  test('escapes what it shows, and has no script', async () => {
    await fill([{ title: '<script>alert(1)</script>"&' }])
    const { slug } = await create('adam', { fields: [{ field: 'title', label: '<b>' }] })
    const html = renderView(await readView(needs, slug, undefined), true)
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;')
    expect(html).not.toMatch(/<script|<b>/)
  })

  test('shows, filters and orders by computed fields, as its maker reads them', async () => {
    const one = {
      name: 'double',
      label: 'Double',
      kind: 'formula',
      formula: { call: '*', of: [{ field: 'n' }, { number: 2 }] },
    }
    await world.as(
      'adam',
      sql`select holdfast.set_computed_field(${world.workspace}, 'jobs', ${JSON.stringify(one)}::jsonb)`,
    )
    await fill(Array.from({ length: ROWS_MAX + 20 }, (_, n) => ({ title: `j${n}`, n: n % 9 === 0 ? null : n })))
    const { slug } = await create('adam', {
      fields: [...FIELDS, { field: 'double', label: 'Double' }],
      filter: condition('double', 'isnt', '20'),
      sort: [{ field: 'double', isDescending: true }],
    })
    const first = await readView(needs, slug, undefined)
    const second = await readView(needs, slug, first.next)
    expect([...first.rows, ...second.rows]).toEqual(
      await world.database.pool
        .query<{ title: string; n: number | null }>(
          sql`select title, n from public.jobs where n is distinct from 10 order by n desc nulls last, id`,
        )
        .then((rows) => rows.map(({ title, n }) => [title, n === null ? null : 2 * n])),
    )
    expect(first.fields[1]).toMatchObject({ type: expect.stringMatching(/^(numeric|bigint|integer|double)/) })
    await world.as('adam', sql`select holdfast.remove_computed_field(${world.workspace}, 'jobs', 'double')`)
    await expect(titles(slug)).rejects.toMatchObject({ code: 'view_changed' })
  })

  test('is not shown once a field is gone', async () => {
    await world.as(
      'adam',
      sql`select holdfast.change_table(${world.workspace}, 'jobs', '{"kind": "add_field", "field": {"name": "extra", "label": "Extra", "kind": "text"}}')`,
    )
    const { slug } = await create('adam', { fields: [{ field: 'extra', label: 'Extra' }] })
    await world.as(
      'adam',
      sql`select holdfast.change_table(${world.workspace}, 'jobs', '{"kind": "delete_field", "field": "extra"}')`,
    )
    await expect(titles(slug)).rejects.toMatchObject({ code: 'view_changed' })
  })
})
