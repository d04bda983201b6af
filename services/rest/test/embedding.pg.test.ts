import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type Ask, type RestWorld } from './rest-world.ts'

// What can be said about the rows of embeds, and by them about the rows above: filters, orders, ranges, inner and null embeds.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
})

afterAll(() => world?.[Symbol.asyncDispose]())

describe('is refused', () => {
  test.each([
    [
      'a filter of a relation that is not embedded',
      '/clients?select=id&projects.id=eq.1',
      'PGRST108',
      "'projects' is not an embedded resource in this request",
    ],
    [
      'an order of a relation that is not embedded',
      '/clients?select=id&projects.order=id',
      'PGRST108',
      "'projects' is not an embedded resource in this request",
    ],
    [
      'a limit deeper than the embeds',
      '/clients?select=id,projects(id)&projects.tasks.limit=1',
      'PGRST108',
      "'tasks' is not an embedded resource in this request",
    ],
    [
      'a tree of a relation that is not embedded',
      '/clients?select=id&projects.or=(id.eq.1,id.eq.2)',
      'PGRST108',
      "'projects' is not an embedded resource in this request",
    ],
    [
      'an order by a relation that is not embedded',
      '/tasks?order=projects(name)',
      'PGRST108',
      "'projects' is not an embedded resource in this request",
    ],
    [
      'an order by children',
      '/clients?select=id,projects(id)&order=projects(id)',
      'PGRST118',
      "A related order on 'projects' is not possible",
    ],
    [
      'an order by children under an alias',
      '/clients?select=id,p:projects(id)&order=p(id)',
      'PGRST118',
      "A related order on 'p' is not possible",
    ],
    [
      'a filter by another operator on an embed',
      '/clients?select=id,projects(id)&projects=eq.1',
      '42703',
      'column clients.projects does not exist',
    ],
    [
      'two embeds of one name',
      '/transfers?select=id,clients!from_id(id),clients!to_id(id)',
      '42712',
      'table name "transfers_clients_1" specified more than once',
    ],
    [
      'two embeds of one alias, deeper',
      '/clients?select=id,projects(x:tasks(id),x:briefs(text))',
      '42712',
      'table name "projects_x_2" specified more than once',
    ],
    [
      'an order by a column that the embed does not select',
      '/tasks?select=id,projects(id)&order=projects(name)',
      '42703',
      'column projects_1_embed.name does not exist',
    ],
  ])('%s', async (_title, path, code, message) => {
    expect(await world.ask(path)).toMatchObject({ status: 400, body: { code, message } })
  })

  test('an order by children, with the reason', async () => {
    expect((await world.ask('/clients?select=id,projects(id)&order=projects(id)')).body).toMatchObject({
      details: "'clients' and 'projects' do not form a many-to-one or one-to-one relationship",
    })
  })
})

describe('finds', () => {
  test.each([
    [
      'by a filter of an embed all rows above',
      '/clients?select=id,projects(id)&projects.id=eq.1&order=id',
      [
        { id: 1, projects: [{ id: 1 }] },
        { id: 2, projects: [] },
        { id: 3, projects: [] },
      ],
    ],
    [
      'by an inner embed only the rows above that have some',
      '/clients?select=id,projects!inner(id)&projects.id=eq.1',
      [{ id: 1, projects: [{ id: 1 }] }],
    ],
    [
      'by inner embeds in embeds',
      '/clients?select=id,projects!inner(id,tasks!inner(id))&projects.tasks.title=eq.Paint',
      [{ id: 1, projects: [{ id: 2, tasks: [{ id: 3 }] }] }],
    ],
    [
      'by an inner embed in one that is not',
      '/clients?select=id,projects(id,tasks!inner(id))&projects.tasks.title=eq.Paint&order=id',
      [
        { id: 1, projects: [{ id: 2, tasks: [{ id: 3 }] }] },
        { id: 2, projects: [] },
        { id: 3, projects: [] },
      ],
    ],
    [
      'by an inner parent of an inner parent',
      '/tasks?select=id,projects!inner(clients!inner(name))&projects.clients.name=eq.Acme&order=id&limit=1',
      [{ id: 1, projects: { clients: { name: 'Acme' } } }],
    ],
    ['a left embed as one without a word', '/clients?select=id,projects!left(id)&id=eq.3', [{ id: 3, projects: [] }]],
    [
      'by inner many-to-many',
      '/tasks?select=id,people!inner(name)&people.name=eq.Ben',
      [{ id: 1, people: [{ name: 'Ben' }] }],
    ],
    ['rows without many-to-many', '/tasks?select=id,people()&people=is.null&order=id', [{ id: 3 }, { id: 4 }]],
    ['rows without a parent', '/tasks?select=id,projects(id)&projects=is.null', [{ id: 4, projects: null }]],
    [
      'rows without certain children',
      '/projects?select=id,tasks()&tasks.title=eq.Dig&tasks=is.null&order=id',
      [{ id: 2 }, { id: 3 }],
    ],
    [
      'rows without children that have certain children',
      '/clients?select=id,projects(id,tasks())&projects.tasks.title=eq.Paint&projects.tasks=not.is.null&projects=is.null&order=id',
      [
        { id: 2, projects: [] },
        { id: 3, projects: [] },
      ],
    ],
    [
      'rows with this or that embed',
      '/tasks?select=id,projects(),people()&projects.id=eq.2&or=(projects.not.is.null,people.is.null)&order=id',
      [{ id: 3 }, { id: 4 }],
    ],
    [
      'rows in not.and of embeds',
      '/tasks?select=id,projects(),people()&not.and=(projects.not.is.null,people.not.is.null)&order=id',
      [{ id: 3 }, { id: 4 }],
    ],
    [
      'an embed under the name of its column, by null',
      '/tasks?select=id,project_id(id)&project_id=is.null',
      [{ id: 4, project_id: null }],
    ],
    [
      'by a tree of an embed',
      '/projects?select=id,tasks(id)&tasks.or=(title.eq.Dig,id.eq.3)&order=id',
      [
        { id: 1, tasks: [{ id: 1 }] },
        { id: 2, tasks: [{ id: 3 }] },
        { id: 3, tasks: [] },
      ],
    ],
    [
      'by a negated tree of an embed',
      '/projects?select=id,tasks(id)&tasks.not.or=(title.eq.Dig,id.eq.3)&id=lt.3&order=id',
      [
        { id: 1, tasks: [{ id: 2 }] },
        { id: 2, tasks: [] },
      ],
    ],
    [
      'one relation twice, each with a filter',
      '/projects?select=id,first:tasks(id),others:tasks(id)&first.title=eq.Dig&others.title=neq.Dig&id=eq.1',
      [{ id: 1, first: [{ id: 1 }], others: [{ id: 2 }] }],
    ],
    [
      'one relation twice, by its name the first of them',
      '/projects?select=id,a:tasks(id),b:tasks(id)&tasks.title=eq.Dig&id=eq.1&b.order=id',
      [{ id: 1, a: [{ id: 1 }], b: [{ id: 1 }, { id: 2 }] }],
    ],
    [
      'an embed under an alias by the name of its relation',
      '/projects?select=id,a:tasks(id)&tasks.title=eq.Dig&id=eq.1',
      [{ id: 1, a: [{ id: 1 }] }],
    ],
    [
      'the rows of each level by their own ranges',
      '/clients?select=id,projects(id,tasks(id))&id=eq.1&projects.order=id&projects.limit=1&projects.tasks.order=id.desc&projects.tasks.limit=1&projects.tasks.offset=1',
      [{ id: 1, projects: [{ id: 1, tasks: [{ id: 1 }] }] }],
    ],
    [
      'no rows of a level by a limit of zero',
      '/clients?select=id,projects(id)&id=eq.1&projects.limit=0',
      [{ id: 1, projects: [] }],
    ],
    ['no rows by an inner level with a limit of zero', '/clients?select=id,projects!inner(id)&projects.limit=0', []],
    [
      'rows with a second child',
      '/projects?select=id,tasks!inner(id)&tasks.offset=1&tasks.order=id',
      [{ id: 1, tasks: [{ id: 2 }] }],
    ],
    [
      'an order by a parent of each level',
      '/clients?select=id,projects(name,clients(name))&projects.order=clients(name),name.desc&id=eq.1',
      [
        {
          id: 1,
          projects: [
            { name: 'Wall', clients: { name: 'Acme' } },
            { name: 'Roof', clients: { name: 'Acme' } },
          ],
        },
      ],
    ],
    [
      'an order by an alias with nulls first',
      '/tasks?select=id,p:projects(name)&order=p(name).nullsfirst,id&limit=2',
      [
        { id: 4, p: null },
        { id: 1, p: { name: 'Roof' } },
      ],
    ],
    [
      'an order by a JSON path of a parent',
      '/tasks?select=id,projects(meta)&projects=not.is.null&order=projects(meta->size->>w).desc,id&limit=1',
      [{ id: 3, projects: { meta: { size: { w: 5 } } } }],
    ],
    [
      'an order by an empty parent',
      '/tasks?select=id,projects()&order=projects(name).desc.nullslast,id&limit=1',
      [{ id: 3 }],
    ],
    [
      'a column called like a part of the statement',
      '/projects?select=tasks(rest_item:id,rows:title)&id=eq.2',
      [{ tasks: [{ rest_item: 3, rows: 'Paint' }] }],
    ],
    ['empty embeds in embeds', '/projects?select=id,tasks(people())&id=eq.1', [{ id: 1 }]],
    ['nothing but embeds', '/projects?select=tasks(id)&id=eq.2', [{ tasks: [{ id: 3 }] }]],
    [
      'columns of a function in embeds',
      '/projects?select=tasks(full_title)&id=eq.2',
      [{ tasks: [{ full_title: 'Task Paint' }] }],
    ],
    [
      'parents of what a function returns',
      '/rpc/one_client?which=1&select=name,projects(name)&projects.order=id',
      { name: 'Acme', projects: [{ name: 'Roof' }, { name: 'Wall' }] },
    ],
  ])('%s', async (_title, path, expected) => {
    const answer = await world.ask(encodeURI(path))
    expect(answer.body, answer.text).toEqual(expected)
    expect(answer.status).toBe(200)
  })
})

test('asks of an embed once, however often and deep a request asks it', async () => {
  const many = (name: string) => `(${Array.from({ length: 60 }, () => `${name}.not.is.null`).join()})`
  const select = 'id,projects!inner(id,tasks!inner(id,people!inner(id,tasks!inner(id,projects!inner(id)))))'
  const levels = ['projects', 'tasks', 'people', 'tasks', 'projects']
  const conditions = levels.map((name, depth) => `${[...levels.slice(0, depth), 'and'].join('.')}=${many(name)}`)
  const answer = await world.ask(`/clients?select=${select}&${conditions.join('&')}`)
  expect([answer.status, answer.body], answer.text).toMatchObject([200, [{ id: 1 }]])
})

describe('counts', () => {
  test.each([
    ['rows with an inner embed', '/clients?select=id,projects!inner(id)&limit=1', 206, '0-0/2'],
    [
      'rows with an inner embed and a filter',
      '/clients?select=id,projects!inner(id)&projects.name=eq.Door&limit=5',
      200,
      '0-0/1',
    ],
    ['rows without an embed', '/clients?select=id,projects()&projects=is.null', 200, '0-0/1'],
    [
      'rows by a tree over embeds',
      '/tasks?select=id,projects(),people()&or=(projects.is.null,people.not.is.null)&limit=1',
      206,
      '0-0/3',
    ],
    [
      'rows with inner embeds in inner embeds',
      '/clients?select=id,projects!inner(tasks!inner(id))&limit=1',
      200,
      '0-0/1',
    ],
    [
      'rows that a left embed does not decide',
      '/clients?select=id,projects(id)&projects.id=eq.1&limit=1',
      206,
      '0-0/3',
    ],
    ['rows of a function', '/rpc/all_clients?select=id,projects!inner(id)&limit=1', 206, '0-0/2'],
    ['rows of a view', '/open_projects?limit=1', 206, '0-0/2'],
    ['rows of an inner limit of zero', '/clients?select=id,projects!inner(id)&projects.limit=0', 200, '*/0'],
  ])('%s', async (_title, path, status, range) => {
    const headers = { prefer: 'count=exact' }
    const answer = await world.ask(path, { headers })
    expect([answer.status, answer.headers['content-range']]).toEqual([status, range])
    const head = await world.ask(path, { headers, method: 'HEAD' })
    expect([head.status, head.headers['content-range']]).toEqual([status, range])
  })
})

describe('ranges', () => {
  test.each([
    ['a negative limit', '/tasks?limit=-1', {}, 'Limit should be greater than or equal to zero.'],
    [
      'a header whose end lies before its start',
      '/tasks',
      { range: '3-1' },
      'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    ],
    [
      'a header and a limit without a common row',
      '/tasks?limit=2',
      { range: '5-9' },
      'Limit should be greater than or equal to zero.',
    ],
  ])('are refused: %s', async (_title, path, headers, details) => {
    expect(await world.ask(path, { headers } as Ask)).toMatchObject({
      status: 416,
      body: { code: 'PGRST103', message: 'Requested range not satisfiable', details, hint: null },
    })
  })

  test.each([
    ['an offset behind the last row, when they are counted', '/tasks?offset=9', { prefer: 'count=exact' }, 416, '*/4'],
    ['an offset behind the last row', '/tasks?offset=9', {}, 200, '*/*'],
    ['an offset before the first row', '/tasks?offset=-3', {}, 200, '0-3/*'],
    ['no limit that is no number', '/tasks?limit=x&offset=y', {}, 200, '0-3/*'],
    ['a limit of zero', '/tasks?limit=0', {}, 200, '*/*'],
    ['a limit of zero over a header', '/tasks?limit=0', { range: '0-1' }, 200, '*/*'],
    ['a header to the end', '/tasks', { range: '2-' }, 200, '2-3/*'],
    ['a header with a unit beside it', '/tasks', { range: '1-2', 'range-unit': 'items' }, 200, '1-2/*'],
    ['no header in bytes', '/tasks', { range: 'bytes=0-1' }, 200, '0-3/*'],
    ['what a header and a limit have in common', '/tasks?limit=2&offset=1', { range: '2-9' }, 200, '2-2/*'],
    ['more than there is', '/tasks?limit=99999999999999999999', {}, 200, '0-3/*'],
  ])('take %s', async (_title, path, headers, status, range) => {
    const answer = await world.ask(path, { headers } as Ask)
    expect([answer.status, answer.headers['content-range']]).toEqual([status, range])
  })
})
