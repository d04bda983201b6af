import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// A spread moves the columns of an embed into the level above: values for to-one, arrays of equal length and order for to-many.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
  await world.rows(`
    create table plants (id int primary key, name text);
    create table steps (id int primary key, name text, plant_id int references plants, kind jsonb);
    create table costs (step_id int primary key references steps, cost numeric);
    create table workers (id int primary key, name text);
    create table step_workers (step_id int references steps, worker_id int references workers, hours int, primary key (step_id, worker_id));
    insert into plants values (1, 'North'), (2, 'South'), (3, 'Empty');
    insert into steps values (1, 'cut', 1, '{"x": 2}'), (2, 'weld', 1, '{"x": 1}'), (3, 'paint', 2, null);
    insert into costs values (1, 10), (2, 20);
    insert into workers values (1, 'Ann'), (2, 'Ben'), (3, 'Idle');
    insert into step_workers values (1, 1, 5), (1, 2, 6), (2, 1, 7), (3, 2, 8);
  `)
  await world.refresh()
})

afterAll(() => world?.[Symbol.asyncDispose]())

describe('a spread', () => {
  test.each([
    ['of nothing that is related', '/plants?select=...workers(name)', 400, 'PGRST200'],
    ['without a list', '/plants?select=...steps', 400, 'PGRST100'],
    ['under an alias', '/plants?select=a:...steps(name)', 400, 'PGRST100'],
    ['of a column that is not there', '/plants?select=...steps(nothing)', 400, '42703'],
  ])('is refused %s', async (_title, path, status, code) => {
    expect(await world.ask(path)).toMatchObject({ status, body: { code } })
  })

  test.each([
    ['of a parent', '/steps?select=name,...plants(plant:name)&order=id&limit=1', [{ name: 'cut', plant: 'North' }]],
    [
      'of one-to-one',
      '/steps?select=name,...costs(cost)&order=id',
      [
        { name: 'cut', cost: 10 },
        { name: 'weld', cost: 20 },
        { name: 'paint', cost: null },
      ],
    ],
    [
      'of all columns of a parent',
      '/step_workers?select=...workers(*),hours&hours=eq.5',
      [{ hours: 5, id: 1, name: 'Ann' }],
    ],
    [
      'of a parent of a parent',
      '/costs?select=cost,...steps(step:name,...plants(plant:name))&order=cost',
      [
        { cost: 10, step: 'cut', plant: 'North' },
        { cost: 20, step: 'weld', plant: 'North' },
      ],
    ],
    ['of nothing', '/steps?select=id,...plants()&id=eq.1', [{ id: 1 }]],
    [
      'of children',
      '/plants?select=plant:name,...steps(steps:name,ids:id)&order=id&steps.order=name.desc',
      [
        { plant: 'North', steps: ['weld', 'cut'], ids: [2, 1] },
        { plant: 'South', steps: ['paint'], ids: [3] },
        { plant: 'Empty', steps: [], ids: [] },
      ],
    ],
    [
      'of all columns of children',
      '/plants?select=plant:name,...steps(*)&id=gt.1&order=id',
      [
        { plant: 'South', id: [3], name: ['paint'], plant_id: [2], kind: [null] },
        { plant: 'Empty', id: [], name: [], plant_id: [], kind: [] },
      ],
    ],
    [
      'of children ordered by a JSON path that is not selected',
      '/plants?select=name,...steps(step:id)&id=eq.1&steps.order=kind->x',
      [{ name: 'North', step: [2, 1] }],
    ],
    [
      'of children ordered by a parent',
      '/plants?select=name,...steps(step:id,...costs(cost))&id=eq.1&steps.order=costs(cost).desc',
      [{ name: 'North', step: [2, 1], cost: [20, 10] }],
    ],
    [
      'of children with a limit',
      '/plants?select=name,...steps(step:id)&id=eq.1&steps.order=id.desc&steps.limit=1',
      [{ name: 'North', step: [2] }],
    ],
    [
      'of children with a filter',
      '/plants?select=id,...steps(step:id)&steps.name=eq.weld&order=id',
      [
        { id: 1, step: [2] },
        { id: 2, step: [] },
        { id: 3, step: [] },
      ],
    ],
    [
      'of inner children with a filter',
      '/plants?select=id,...steps!inner(step:id)&steps.name=eq.weld',
      [{ id: 1, step: [2] }],
    ],
    ['of children that are not there', '/plants?select=id,...steps(step:id)&steps=is.null', [{ id: 3, step: [] }]],
    [
      'of children that are there',
      '/plants?select=id,...steps(step:id)&steps=not.is.null&order=id&steps.order=id',
      [
        { id: 1, step: [1, 2] },
        { id: 2, step: [3] },
      ],
    ],
    [
      'of many-to-many',
      '/workers?select=name,...steps(steps:name)&order=id&steps.order=id',
      [
        { name: 'Ann', steps: ['cut', 'weld'] },
        { name: 'Ben', steps: ['cut', 'paint'] },
        { name: 'Idle', steps: [] },
      ],
    ],
    [
      'of children of children',
      '/plants?select=name,...steps(steps:name,...workers(workers:name))&id=eq.1&steps.order=id&steps.workers.order=id',
      [{ name: 'North', steps: ['cut', 'weld'], workers: [['Ann', 'Ben'], ['Ann']] }],
    ],
    [
      'of children with an embed',
      '/plants?select=name,...steps(costs(cost),step_workers(hours))&id=eq.1&steps.order=id&steps.step_workers.order=hours',
      [
        {
          name: 'North',
          costs: [{ cost: 10 }, { cost: 20 }],
          step_workers: [[{ hours: 5 }, { hours: 6 }], [{ hours: 7 }]],
        },
      ],
    ],
    [
      'of the parents of children',
      '/workers?select=name,work:step_workers(hours,...steps(step:name))&id=eq.1&work.order=hours',
      [
        {
          name: 'Ann',
          work: [
            { hours: 5, step: 'cut' },
            { hours: 7, step: 'weld' },
          ],
        },
      ],
    ],
    [
      'with an order by a spread column',
      '/steps?select=id,...plants(plant:name)&order=plants(plant).desc,id',
      [
        { id: 3, plant: 'South' },
        { id: 1, plant: 'North' },
        { id: 2, plant: 'North' },
      ],
    ],
  ])('%s', async (_title, path, expected) => {
    const answer = await world.ask(encodeURI(path))
    expect(answer.body, answer.text).toEqual(expected)
    expect(answer.status).toBe(200)
  })

  test('repeats a name that is there already, as JSON may', async () => {
    const { text } = await world.ask('/steps?select=name,...plants(name,name)&id=eq.1')
    expect(text).toBe('[{"name":"cut","name":"North","name":"North"}]')
  })

  test('comes with what was written', async () => {
    const { body } = await world.ask('/steps?select=name,...plants(plant:name)&id=eq.3', {
      method: 'PATCH',
      body: { plant_id: 1 },
      headers: { prefer: 'return=representation,tx=rollback' },
    })
    expect(body).toEqual([{ name: 'paint', plant: 'North' }])
  })
})
