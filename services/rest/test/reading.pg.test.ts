import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type Ask, type RestWorld } from './rest-world.ts'

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
})

afterAll(() => world?.[Symbol.asyncDispose]())

describe('reading', () => {
  test.each([
    ['columns', '/tasks?select=id,title&order=id&limit=1', [{ id: 1, title: 'Dig' }]],
    ['an alias', '/tasks?select=name:title&id=eq.1', [{ name: 'Dig' }]],
    ['a cast', '/tasks?select=id::text&id=eq.1', [{ id: '1' }]],
    ['a cast by a name of the grammar', '/projects?select=budget::double precision&id=eq.1', [{ budget: 100.5 }]],
    ['a JSON path', '/projects?select=id,meta->size->>w&id=eq.1', [{ id: 1, w: '3' }]],
    ['a JSON path with an index and an alias', '/projects?select=second:meta->list->1&id=eq.1', [{ second: 20 }]],
    ['a JSON path of an array', '/projects?select=tags->0&id=eq.1', [{ tags: 'red' }]],
    ['a computed column', '/tasks?select=full_title&id=eq.1', [{ full_title: 'Task Dig' }]],
    [
      'a view',
      '/open_projects?order=id',
      [
        { id: 2, name: 'Wall' },
        { id: 3, name: 'Door' },
      ],
    ],
    ['eq', '/tasks?select=id&title=eq.Dig', [{ id: 1 }]],
    ['not eq', '/tasks?select=id&title=not.eq.Dig&order=id', [{ id: 2 }, { id: 3 }, { id: 4 }]],
    ['in with quotes', '/tasks?select=id&title=in.("Dig","Lay")&order=id', [{ id: 1 }, { id: 2 }]],
    ['an empty in', '/tasks?select=id&id=in.()', []],
    ['is null', '/tasks?select=id&project_id=is.null', [{ id: 4 }]],
    ['is not_null', '/projects?select=id&done=is.not_null&order=id', [{ id: 1 }, { id: 2 }]],
    ['is unknown', '/projects?select=id&done=is.unknown', [{ id: 3 }]],
    ['isdistinct', '/projects?select=id&done=isdistinct.true&order=id', [{ id: 2 }, { id: 3 }]],
    ['like with a star', '/tasks?select=id&title=like.D*', [{ id: 1 }]],
    ['ilike any', '/tasks?select=id&title=ilike(any).{d*,l*}&order=id', [{ id: 1 }, { id: 2 }]],
    ['gt all', '/tasks?select=id&id=gt(all).{1,3}', [{ id: 4 }]],
    ['match', '/tasks?select=id&title=match.^P', [{ id: 3 }]],
    ['cs of an array', '/projects?select=id&tags=cs.{blue}', [{ id: 1 }]],
    ['cs of json', '/projects?select=id&meta=cs.{"size":{"w":5}}', [{ id: 2 }]],
    ['ov', '/projects?select=id&tags=ov.{blue,red}&order=id', [{ id: 1 }, { id: 2 }]],
    ['a range operator', '/projects?select=id&tags=cd.{red,blue,green}&order=id', [{ id: 1 }, { id: 2 }, { id: 3 }]],
    ['text search', '/tasks?select=id&title=plfts(english).painting', [{ id: 3 }]],
    ['or', '/tasks?select=id&or=(id.eq.1,title.eq.Lay)&order=id', [{ id: 1 }, { id: 2 }]],
    [
      'nested trees',
      '/tasks?select=id&or=(and(id.gt.1,id.lt.3),not.and(id.gt.1,id.lt.9))&order=id',
      [{ id: 1 }, { id: 2 }],
    ],
    ['not.or', '/tasks?select=id&not.or=(id.eq.1,id.eq.2)&order=id', [{ id: 3 }, { id: 4 }]],
    ['a filter on a JSON path', '/projects?select=id&meta->size->>w=eq.5', [{ id: 2 }]],
    ['an order with nulls', '/projects?select=id&order=budget.desc.nullslast', [{ id: 1 }, { id: 3 }, { id: 2 }]],
    ['limit and offset', '/tasks?select=id&order=id&limit=2&offset=1', [{ id: 2 }, { id: 3 }]],
    [
      'a parent',
      '/tasks?select=id,projects(name)&id=in.(1,4)&order=id',
      [
        { id: 1, projects: { name: 'Roof' } },
        { id: 4, projects: null },
      ],
    ],
    ['a parent by its column', '/tasks?select=id,project_id(name)&id=eq.1', [{ id: 1, project_id: { name: 'Roof' } }]],
    [
      'a parent under a hint',
      '/transfers?select=from:clients!from_id(name),to:clients!transfers_to_id_fkey(name)',
      [{ from: { name: 'Acme' }, to: { name: 'Beta' } }],
    ],
    [
      'children',
      '/projects?select=id,tasks(id)&order=id&tasks.order=id.desc',
      [
        { id: 1, tasks: [{ id: 2 }, { id: 1 }] },
        { id: 2, tasks: [{ id: 3 }] },
        { id: 3, tasks: [] },
      ],
    ],
    [
      'a limit for each parent',
      '/projects?select=id,tasks(id)&id=eq.1&tasks.order=id.desc&tasks.limit=1',
      [{ id: 1, tasks: [{ id: 2 }] }],
    ],
    [
      'the other side of one-to-one',
      '/projects?select=id,briefs(text)&id=lt.3&order=id',
      [
        { id: 1, briefs: { text: 'brief one' } },
        { id: 2, briefs: null },
      ],
    ],
    [
      'many-to-many',
      '/tasks?select=id,people(name)&id=in.(1,2)&order=id&people.order=name',
      [
        { id: 1, people: [{ name: 'Ann' }, { name: 'Ben' }] },
        { id: 2, people: [{ name: 'Ann' }] },
      ],
    ],
    [
      'children of its own',
      '/tasks?select=id,children:tasks(id)&id=eq.1&children.order=id',
      [{ id: 1, children: [{ id: 2 }, { id: 3 }] }],
    ],
    [
      'the parent of its own',
      '/tasks?select=id,parent:parent_id(title)&id=eq.2',
      [{ id: 2, parent: { title: 'Dig' } }],
    ],
    [
      'three levels',
      '/clients?select=name,projects(name,tasks(title))&id=eq.1&projects.order=id&projects.tasks.order=id',
      [
        {
          name: 'Acme',
          projects: [
            { name: 'Roof', tasks: [{ title: 'Dig' }, { title: 'Lay' }] },
            { name: 'Wall', tasks: [{ title: 'Paint' }] },
          ],
        },
      ],
    ],
    [
      'an inner embed with a filter',
      '/tasks?select=id,projects!inner(name)&projects.name=eq.Wall',
      [{ id: 3, projects: { name: 'Wall' } }],
    ],
    [
      'an inner embed of children',
      '/projects?select=id,tasks!inner(id)&tasks.title=eq.Lay',
      [{ id: 1, tasks: [{ id: 2 }] }],
    ],
    ['an empty embed that only filters', '/projects?select=id,tasks!inner()&tasks.title=eq.Paint', [{ id: 2 }]],
    ['parents without children', '/clients?select=id,projects()&projects=is.null', [{ id: 3 }]],
    [
      'rows with a parent',
      '/tasks?select=id,projects()&projects=not.is.null&order=id',
      [{ id: 1 }, { id: 2 }, { id: 3 }],
    ],
    [
      'an or over embeds',
      '/clients?select=id,projects()&or=(projects.is.null,id.eq.1)&order=id',
      [{ id: 1 }, { id: 3 }],
    ],
    [
      'an order by the parent',
      '/tasks?select=id,projects(name)&projects=not.is.null&order=projects(name).desc,id.desc',
      [
        { id: 3, projects: { name: 'Wall' } },
        { id: 2, projects: { name: 'Roof' } },
        { id: 1, projects: { name: 'Roof' } },
      ],
    ],
    ['a spread', '/tasks?select=id,...projects(project:name)&id=eq.1', [{ id: 1, project: 'Roof' }]],
    [
      'a spread of children',
      '/projects?select=id,...tasks(title)&id=eq.1&tasks.order=id',
      [{ id: 1, title: ['Dig', 'Lay'] }],
    ],
    ['a count of children', '/projects?select=id,tasks(count)&order=id&limit=1', [{ id: 1, tasks: [{ count: 2 }] }]],
    ['a name with capitals and spaces as alias', '/tasks?select="My Id":id&id=eq.1', [{ 'My Id': 1 }]],
  ])('%s', async (_title, path, expected) => {
    expect(await world.ask(encodeURI(path))).toMatchObject({ status: 200, body: expected })
  })

  test.each([
    ['without a count', '/tasks?limit=2', {}, 200, '0-1/*'],
    ['exactly, in part', '/tasks?limit=2&offset=1', { headers: { prefer: 'count=exact' } }, 206, '1-2/4'],
    ['exactly, whole', '/tasks', { headers: { prefer: 'count=exact' } }, 200, '0-3/4'],
    ['of nothing', '/tasks?id=eq.-1', { headers: { prefer: 'count=exact' } }, 200, '*/0'],
    ['by a Range header', '/tasks', { headers: { range: '1-2' } }, 200, '1-2/*'],
    ['with HEAD', '/tasks?id=lt.4', { method: 'HEAD', headers: { prefer: 'count=exact' } }, 200, '0-2/3'],
    [
      'with an inner embed',
      '/projects?select=id,tasks!inner(id)&limit=1',
      { headers: { prefer: 'count=exact' } },
      206,
      '0-0/2',
    ],
    ['estimated', '/tasks', { headers: { prefer: 'count=estimated' } }, 200, '0-3/4'],
    ['of a limit of zero', '/tasks?limit=0', { headers: { prefer: 'count=exact' } }, 206, '*/4'],
  ] satisfies [string, string, Ask, number, string][])('counts %s', async (_title, path, input, status, range) => {
    const answer = await world.ask(path, input)
    expect(answer).toMatchObject({ status, headers: { 'content-range': range } })
  })

  test('counts as the planner expects', async () => {
    const { status, headers } = await world.ask('/tasks', { headers: { prefer: 'count=planned' } })
    expect([200, 206]).toContain(status)
    expect(headers['content-range']).toMatch(/^0-3\/\d+$/)
  })

  test('goes on after a column that prepared statements compare has changed its type', async () => {
    await world.rows('create table changing (id int)')
    await world.rows('insert into changing values (7)')
    await world.refresh()
    const read = async () => (await world.ask('/changing?id=eq.7')).body
    for (let round = 0; round < 6; round++) expect(await read()).toEqual([{ id: 7 }])
    await world.rows('alter table changing alter id type text, add more int')
    await world.refresh()
    for (let round = 0; round < 6; round++) expect(await read()).toEqual([{ id: '7', more: null }])
  })

  test('prints times of the zone that was asked for, and refuses one that does not exist', async () => {
    await world.rows(`insert into tasks (id, title, created_at) values (90, 'Noon', '2024-06-01T12:00:00Z')`)
    const at = async (zone: string) =>
      (await world.ask('/tasks?select=created_at&id=eq.90', { headers: { prefer: `timezone=${zone}` } })).body
    expect(await at('Asia/Tokyo')).toEqual([{ created_at: '2024-06-01T21:00:00+09:00' }])
    expect((await world.ask('/tasks?id=eq.90', { headers: { prefer: 'timezone=Nowhere/Land' } })).status).toBe(400)
    await world.rows('delete from tasks where id = 90')
  })

  test('answers one object, stripped of nulls', async () => {
    const headers = { accept: 'application/vnd.pgrst.object+json;nulls=stripped' }
    expect(await world.ask('/projects?id=eq.2&select=id,budget', { headers })).toMatchObject({
      status: 200,
      body: { id: 2 },
    })
  })

  test('answers CSV', async () => {
    const { text, headers } = await world.ask('/clients?order=id', { headers: { accept: 'text/csv' } })
    expect(text).toBe('id,name\n1,Acme\n2,Beta\n3,Empty')
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  })

  test('says which methods a table takes', async () => {
    expect((await world.ask('/clients', { method: 'OPTIONS' })).headers['allow']).toBe(
      'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE',
    )
    expect((await world.ask('/rpc/add', { method: 'OPTIONS' })).status).toBe(404)
    expect((await world.ask('/rpc/all_clients', { method: 'OPTIONS' })).headers['allow']).toBe('OPTIONS,GET,HEAD,POST')
  })
})
