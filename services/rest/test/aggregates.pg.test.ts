import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// Aggregates are computed over the rows that the level has after its filters, grouped by everything else that it selects; inside a
// to-one spread they are computed by the level that they move into.

let world: RestWorld
let without: RestWorld

const SCHEMA = `
  create table owners (id int primary key, name text);
  create table categories (id int primary key, owner_id int references owners, label text, budget numeric);
  create table expenses (id int primary key, category_id int references categories, amount numeric, detail jsonb, day date);
  insert into owners values (1, 'Ann'), (2, 'Ben');
  insert into categories values (1, 1, 'Food', 100), (2, 1, 'Rent', 200), (3, 2, 'Fun', 400);
  insert into expenses values (1, 1, 10, '{"n": "1", "k": {"x": 1}}', '2024-01-01'), (2, 1, 20, '{"n": "2", "k": {"x": 1}}', '2024-01-02'),
    (3, 2, 30, '{"n": "3", "k": {"x": 2}}', '2024-01-03'), (4, null, 40, null, '2024-01-04');
`

beforeAll(async () => {
  world = await openRestWorld({ restAggregatesEnabled: true })
  without = await openRestWorld()
  for (const each of [world, without]) {
    await each.rows(SCHEMA)
    await each.refresh()
  }
})

afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await without?.[Symbol.asyncDispose]()
})

describe('aggregates', () => {
  test.each([
    ['at the root', '/expenses?select=amount.sum()'],
    ['as a count', '/expenses?select=count()'],
    ['in an embed', '/categories?select=label,expenses(amount.sum())'],
    ['in a spread', '/expenses?select=...categories(budget.max())'],
    ['in a spread of arrays', '/categories?select=...expenses(amount.max())'],
  ])('are refused %s unless they are switched on', async (_title, path) => {
    expect(await without.ask(path)).toMatchObject({
      status: 400,
      body: { code: 'PGRST123', message: 'Use of aggregate functions is not allowed', details: null, hint: null },
    })
  })

  test('are refused after problems of the embeds', async () => {
    expect(await without.ask('/expenses?select=amount.sum(),nothing(id)')).toMatchObject({ body: { code: 'PGRST200' } })
  })

  test.each([
    ['of its own', '/categories?select=label,...expenses(amount.sum())'],
    ['that a spread inside of it brings', '/owners?select=name,...categories(...owners(id.count()))'],
  ])('are refused in a spread of arrays: %s', async (_title, path) => {
    expect(await world.ask(path)).toMatchObject({
      status: 400,
      body: {
        code: 'PGRST127',
        message: 'Feature not implemented',
        details: 'Aggregates are not implemented for one-to-many or many-to-many spreads.',
      },
    })
  })

  test.each([
    ['an unknown one', '/expenses?select=amount.median()', 'PGRST100'],
    ['an order by a column that is not grouped', '/expenses?select=amount.sum()&order=day', '42803'],
    ['a sum of what has none', '/categories?select=label.sum()', '42883'],
  ])('are refused: %s', async (_title, path, code) => {
    expect(await world.ask(path)).toMatchObject({ body: { code } })
  })

  test.each([
    ['a sum', '/expenses?select=amount.sum()', [{ sum: 100 }]],
    [
      'all of them',
      '/expenses?select=amount.sum(),amount.avg(),amount.min(),amount.max(),amount.count()',
      [{ sum: 100, avg: 25, min: 10, max: 40, count: 4 }],
    ],
    ['a count of values that are not null', '/expenses?select=category_id.count()', [{ count: 3 }]],
    ['a count of rows', '/expenses?select=count()', [{ count: 4 }]],
    ['a count of rows under another name, as text', '/expenses?select=n:count()::text', [{ n: '4' }]],
    ['a count as a column, which needs no switch', '/expenses?select=count', [{ count: 4 }]],
    ['of filtered rows', '/expenses?select=amount.sum()&amount=gt.15', [{ sum: 90 }]],
    ['of no rows', '/expenses?select=amount.sum(),count()&id=eq.-1', [{ sum: null, count: 0 }]],
    ['under a name', '/expenses?select=total:amount.sum()', [{ total: 100 }]],
    ['cast after', '/expenses?select=amount.sum()::text', [{ sum: '100' }]],
    ['cast before', '/expenses?select=detail->>n::integer.sum()', [{ sum: 6 }]],
    ['cast before and after, under a name', '/expenses?select=s:detail->>n::integer.sum()::text', [{ s: '6' }]],
    ['of dates', '/expenses?select=day.max()', [{ max: '2024-01-04' }]],
    [
      'grouped',
      '/expenses?select=amount.sum(),category_id&order=category_id.nullslast',
      [
        { sum: 30, category_id: 1 },
        { sum: 30, category_id: 2 },
        { sum: 40, category_id: null },
      ],
    ],
    [
      'grouped by a column under another name',
      '/expenses?select=count(),category:category_id&order=category_id.nullslast',
      [
        { count: 2, category: 1 },
        { count: 1, category: 2 },
        { count: 1, category: null },
      ],
    ],
    [
      'grouped by a column under the name of another one',
      '/expenses?select=count(),id:category_id&order=category_id.nullslast',
      [
        { count: 2, id: 1 },
        { count: 1, id: 2 },
        { count: 1, id: null },
      ],
    ],
    [
      'grouped by a JSON path',
      '/expenses?select=amount.sum(),detail->k->x&detail=not.is.null&order=detail->k->x',
      [
        { sum: 30, x: 1 },
        { sum: 30, x: 2 },
      ],
    ],
    [
      'grouped by a JSON path and a cast',
      '/expenses?select=amount.sum(),x:detail->k->>x::int&detail=not.is.null&limit=1&offset=5',
      [],
    ],
    [
      'grouped by all columns',
      '/categories?select=*,count()&id=eq.1',
      [{ id: 1, owner_id: 1, label: 'Food', budget: 100, count: 1 }],
    ],
    [
      'grouped by a parent',
      '/expenses?select=amount.sum(),categories(label)&category_id=eq.1',
      [{ sum: 30, categories: { label: 'Food' } }],
    ],
    [
      'grouped by a column and its parent',
      '/expenses?select=category_id,amount.sum(),categories(label)&order=category_id.nullslast',
      [
        { category_id: 1, sum: 30, categories: { label: 'Food' } },
        { category_id: 2, sum: 30, categories: { label: 'Rent' } },
        { category_id: null, sum: 40, categories: null },
      ],
    ],
    [
      'grouped by children',
      '/categories?select=id,count(),expenses(id)&order=id&expenses.order=id',
      [
        { id: 1, count: 1, expenses: [{ id: 1 }, { id: 2 }] },
        { id: 2, count: 1, expenses: [{ id: 3 }] },
        { id: 3, count: 1, expenses: [] },
      ],
    ],
    [
      'in children',
      '/categories?select=label,expenses(amount.sum(),n:count())&order=id',
      [
        { label: 'Food', expenses: [{ sum: 30, n: 2 }] },
        { label: 'Rent', expenses: [{ sum: 30, n: 1 }] },
        { label: 'Fun', expenses: [{ sum: null, n: 0 }] },
      ],
    ],
    [
      'in children, by groups, filtered and ordered',
      '/owners?select=name,categories(label,budget.sum())&categories.budget=gt.100&categories.order=label.desc&order=id',
      [
        { name: 'Ann', categories: [{ label: 'Rent', sum: 200 }] },
        { name: 'Ben', categories: [{ label: 'Fun', sum: 400 }] },
      ],
    ],
    [
      'in a spread, grouped by what else is spread',
      '/expenses?select=total:amount.sum(),...categories(label,budget.sum())&order=categories(label)',
      [
        { total: 30, label: 'Food', sum: 200 },
        { total: 30, label: 'Rent', sum: 200 },
        { total: 40, label: null, sum: null },
      ],
    ],
    ['alone in a spread', '/expenses?select=...categories(budget.sum(),top:budget.max())', [{ sum: 400, top: 200 }]],
    [
      'in a spread in a spread',
      '/expenses?select=...categories(...owners(name,id.count()))&category_id=not.is.null',
      [{ name: 'Ann', count: 3 }],
    ],
    [
      'in a spread, grouped by a parent that is not spread',
      '/expenses?select=...categories(owners(name),budget.sum())&category_id=not.is.null',
      [{ owners: { name: 'Ann' }, sum: 400 }],
    ],
    ['a count of a spread', '/expenses?select=...categories(count())', [{ count: 3 }]],
    [
      'counts of spreads on two levels',
      '/expenses?select=...categories(owner_id,parents:count(),...owners(grandparents:count()))&order=categories(owner_id).nullslast',
      [
        { owner_id: 1, parents: 3, grandparents: 3 },
        { owner_id: null, parents: 0, grandparents: 0 },
      ],
    ],
    [
      'in a spread of children that are not',
      '/categories?select=label,expenses(...categories(budget.sum()))&id=eq.1',
      [{ label: 'Food', expenses: [{ sum: 200 }] }],
    ],
    ['of a function', '/rpc/all_clients?select=id.max(),count()', [{ max: 3, count: 3 }]],
    [
      'with an inner parent',
      '/expenses?select=amount.sum(),categories!inner()&categories.label=eq.Food',
      [{ sum: 30 }],
    ],
    ['of rows that have children', '/categories?select=count(),expenses!inner()', [{ count: 2 }]],
  ])('give %s', async (_title, path, expected) => {
    const answer = await world.ask(encodeURI(path))
    expect(answer.body, answer.text).toEqual(expected)
    expect(answer.status).toBe(200)
  })

  test('keep apart in a spread what has the same name', async () => {
    const { text } = await world.ask('/expenses?select=...categories(budget.sum(),id.sum())')
    expect(text).toBe('[{"sum":400,"sum":4}]')
  })

  test('count the rows beneath them, as PostgREST does', async () => {
    const { status, headers } = await world.ask('/expenses?select=amount.sum()', { headers: { prefer: 'count=exact' } })
    expect([status, headers['content-range']]).toEqual([206, '0-0/4'])
  })

  test('come with what was written', async () => {
    const { status, body } = await world.ask('/categories?select=budget.sum(),count()&id=lt.3', {
      method: 'PATCH',
      body: { budget: 5 },
      headers: { prefer: 'return=representation,tx=rollback' },
    })
    expect([status, body]).toEqual([200, [{ sum: 10, count: 2 }]])
  })
})
