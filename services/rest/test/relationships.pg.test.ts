import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// Which embeds there are: over keys of tables and of views, over functions, over relations of their own; and how it is said that
// there is none or that there are several.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
  await world.rows(`
    create view client_list as select name, id as client_no from clients;
    create view project_list as select p.id as project_no, p.name, p.client_id as client_ref from projects p where p.id > 0;
    create view project_list_again as select * from project_list;
    create materialized view stored_projects as select id, name, client_id from projects;
    create view either_project as select id, client_id from projects union select id, client_id from projects;
    create view assignments as select task_id, person_id as who from task_people;
    create view transfer_list as select id, from_id, to_id from transfers;
    create view task_list with (security_invoker = true) as select id, title, project_id, parent_id from tasks;

    create table makers (id int primary key, name text);
    create table sales (id int, day date, maker_id int references makers, primary key (id, day)) partition by range (day);
    create table sales_2024 partition of sales for values from ('2024-01-01') to ('2025-01-01');
    create table refunds (id int primary key, sale_id int, sale_day date, foreign key (sale_id, sale_day) references sales);
    insert into makers values (1, 'Volvo');
    insert into sales values (1, '2024-05-01', 1);
    insert into refunds values (1, 1, '2024-05-01');

    create table staff (id int primary key, name text, boss_id int references staff, deputy_id int references staff);
    insert into staff values (1, 'Ann', null, null), (2, 'Ben', 1, null), (3, 'Cat', 1, 2);
    create table follows (follower int references staff, followed int references staff, primary key (follower, followed));
    insert into follows values (2, 1), (3, 1), (3, 2);
    create function followers(staff) returns setof staff language sql stable as
      $$ select s.* from staff s join follows f on f.follower = s.id where f.followed = $1.id $$;
    create function boss(staff) returns setof staff rows 1 language sql stable as $$ select * from staff where id = $1.boss_id $$;
    create function badge(staff) returns text language sql stable as $$ select '#' || $1.id $$;
    create function badge(makers) returns text language sql stable as $$ select 'M' || $1.id $$;

    create table shops (id int primary key, name text);
    create table goods (id int primary key, name text, shop_id int references shops);
    insert into shops values (1, 'One'), (2, 'Two');
    insert into goods values (1, 'a', 1), (2, 'b', 1), (3, 'c', null);
    create function goods(shops) returns setof goods language sql stable as $$ select * from goods where shop_id = $1.id and name <> 'a' $$;
    create function all_shops() returns setof shops language sql stable as $$ select * from shops $$;
    create function shop_and_more() returns table (id int, name text) language sql stable as $$ select * from shops $$;
    create function item(goods) returns shops language sql stable as $$ select * from shops where id = $1.shop_id $$;
    create function item(shops) returns goods language sql stable as $$ select * from goods where shop_id = $1.id order by id limit 1 $$;

    create schema hidden;
    create table hidden.secret_links (client_id int references public.clients, person_id int references public.people, primary key (client_id, person_id));
    create table phones (id int primary key, person_id int unique references people);
    insert into phones values (1, 2);
    create table stamps (id int primary key, person_id int references people);
    create unique index on stamps (person_id);
    insert into stamps values (1, 1);
  `)
  await world.refresh()
})

afterAll(() => world?.[Symbol.asyncDispose]())

const ambiguous = (target: string, names: string) =>
  `Try changing '${target}' to one of the following: ${names}. Find the desired relationship in the 'details' key.`

describe('an embed is refused', () => {
  test.each([
    ['that has no relationship', '/clients?select=people(*)', 'clients', 'people', null],
    ['whose name is nearly that of one', '/clients?select=projectz(*)', 'clients', 'projectz', 'projects'],
    ['of a union', '/either_project?select=clients(*)', 'either_project', 'clients', undefined],
    ['of a partition', '/makers?select=sales_2024(*)', 'makers', 'sales_2024', undefined],
    ['over a table in a schema that is not exposed', '/clients?select=people(id)', 'clients', 'people', null],
    [
      'over the key of a table to a view',
      '/projects?select=projects_client_id_fkey!x(id)',
      'projects',
      'projects_client_id_fkey',
      null,
    ],
    ['many-to-many with itself, which takes a function', '/staff?select=staff!follows(*)', 'staff', 'staff', null],
  ])('%s', async (_title, path, origin, target, nearest) => {
    const { status, body } = await world.ask(path)
    expect([status, body]).toMatchObject([
      400,
      {
        code: 'PGRST200',
        message: `Could not find a relationship between '${origin}' and '${target}' in the schema cache`,
        ...(nearest === undefined
          ? {}
          : { hint: nearest === null ? null : `Perhaps you meant '${nearest}' instead of '${target}'.` }),
      },
    ])
  })

  test('with the hint that did not help', async () => {
    expect((await world.ask('/projects?select=clients!nothing(*)')).body).toMatchObject({
      details:
        "Searched for a foreign key relationship between 'projects' and 'clients' using the hint 'nothing' in the schema 'public', but no matches were found.",
    })
  })

  test('when several keys lead there', async () => {
    expect(await world.ask('/transfers?select=clients(*)')).toMatchObject({
      status: 300,
      body: {
        code: 'PGRST201',
        message: "Could not embed because more than one relationship was found for 'transfers' and 'clients'",
        details: [
          {
            cardinality: 'many-to-one',
            embedding: 'transfers with clients',
            relationship: 'transfers_from_id_fkey using transfers(from_id) and clients(id)',
          },
          {
            cardinality: 'many-to-one',
            embedding: 'transfers with clients',
            relationship: 'transfers_to_id_fkey using transfers(to_id) and clients(id)',
          },
        ],
        hint: ambiguous('clients', "'clients!transfers_from_id_fkey', 'clients!transfers_to_id_fkey'"),
      },
    })
  })

  test('when several tables and views lie between', async () => {
    expect(await world.ask('/tasks?select=people(*)')).toMatchObject({
      status: 300,
      body: {
        details: [
          {
            cardinality: 'many-to-many',
            embedding: 'tasks with people',
            relationship: 'assignments using task_people_task_id_fkey(task_id) and task_people_person_id_fkey(who)',
          },
          {
            cardinality: 'many-to-many',
            embedding: 'tasks with people',
            relationship:
              'task_people using task_people_task_id_fkey(task_id) and task_people_person_id_fkey(person_id)',
          },
        ],
        hint: ambiguous('people', "'people!assignments', 'people!task_people'"),
      },
    })
  })

  test('of a partition itself, which is no resource', async () => {
    expect(await world.ask('/sales_2024')).toMatchObject({ status: 404, body: { code: 'PGRST205' } })
  })
})

describe('an embed finds', () => {
  test.each([
    [
      'the parent of a view',
      '/project_list?select=name,clients(name)&project_no=eq.1',
      [{ name: 'Roof', clients: { name: 'Acme' } }],
    ],
    [
      'a view as parent',
      '/projects?select=name,client_list(name)&id=eq.1',
      [{ name: 'Roof', client_list: { name: 'Acme' } }],
    ],
    [
      'a view of a view',
      '/project_list_again?select=client_list(client_no)&project_no=eq.3',
      [{ client_list: { client_no: 2 } }],
    ],
    [
      'views as children',
      '/client_list?select=name,project_list_again(project_no)&order=client_no&project_list_again.order=project_no',
      [
        { name: 'Acme', project_list_again: [{ project_no: 1 }, { project_no: 2 }] },
        { name: 'Beta', project_list_again: [{ project_no: 3 }] },
        { name: 'Empty', project_list_again: [] },
      ],
    ],
    [
      'a materialized view',
      '/stored_projects?select=id,clients(name),tasks(id)&id=eq.2',
      [{ id: 2, clients: { name: 'Acme' }, tasks: [{ id: 3 }] }],
    ],
    ['many-to-many over a view', '/tasks?select=people!assignments(name)&id=eq.2', [{ people: [{ name: 'Ann' }] }]],
    [
      'a view over a column of its own',
      '/task_list?select=title,project_list(name)&id=eq.1',
      [{ title: 'Dig', project_list: { name: 'Roof' } }],
    ],
    ['many-to-many from a view', '/task_list?select=people!task_people(name)&id=eq.2', [{ people: [{ name: 'Ann' }] }]],
    ['what a hint leaves, of a view', '/transfer_list?select=from:clients!from_id(name)', [{ from: { name: 'Acme' } }]],
    ['a partitioned table', '/makers?select=name,sales(id)', [{ name: 'Volvo', sales: [{ id: 1 }] }]],
    ['the parent of a partitioned table', '/sales?select=id,makers(name)', [{ id: 1, makers: { name: 'Volvo' } }]],
    [
      'a partitioned table over two columns',
      '/refunds?select=id,sales(day)',
      [{ id: 1, sales: { day: '2024-05-01' } }],
    ],
    [
      'one-to-one over a unique column',
      '/people?select=id,phones(id)&order=id',
      [
        { id: 1, phones: null },
        { id: 2, phones: { id: 1 } },
      ],
    ],
    [
      'many over a column with an index that is unique only',
      '/people?select=id,stamps(id)&id=eq.1',
      [{ id: 1, stamps: [{ id: 1 }] }],
    ],
    [
      'the parent of its own by the column',
      '/staff?select=name,boss_id(name)&id=eq.2',
      [{ name: 'Ben', boss_id: { name: 'Ann' } }],
    ],
    [
      'children of its own by the column',
      '/staff?select=name,team:staff!boss_id(name)&id=eq.1&team.order=id',
      [{ name: 'Ann', team: [{ name: 'Ben' }, { name: 'Cat' }] }],
    ],
    [
      'children of its own by the key',
      '/staff?select=name,team:staff!staff_deputy_id_fkey(name)&id=eq.2',
      [{ name: 'Ben', team: [{ name: 'Cat' }] }],
    ],
    [
      'parents of parents of its own',
      '/staff?select=deputy_id(name,boss_id(name))&id=eq.3',
      [{ deputy_id: { name: 'Ben', boss_id: { name: 'Ann' } } }],
    ],
    [
      'its own many-to-many by a function',
      '/staff?select=name,followers(name,followers(name))&id=eq.1&followers.order=id',
      [
        {
          name: 'Ann',
          followers: [
            { name: 'Ben', followers: [{ name: 'Cat' }] },
            { name: 'Cat', followers: [] },
          ],
        },
      ],
    ],
    [
      'one row by a function that promises it',
      '/staff?select=name,boss(name)&order=id&limit=2',
      [
        { name: 'Ann', boss: null },
        { name: 'Ben', boss: { name: 'Ann' } },
      ],
    ],
    [
      'a function under an alias, with a filter',
      '/staff?select=fans:followers(name)&id=eq.1&fans.name=eq.Cat',
      [{ fans: [{ name: 'Cat' }] }],
    ],
    [
      'an inner function',
      '/staff?select=name,followers!inner(name)&followers.name=eq.Ben',
      [{ name: 'Ann', followers: [{ name: 'Ben' }] }],
    ],
    ['no rows of a function', '/staff?select=name,followers()&followers=is.null', [{ name: 'Cat' }]],
    ['a spread of a function', '/staff?select=name,...boss(boss:name)&id=eq.2', [{ name: 'Ben', boss: 'Ann' }]],
    [
      'an order by a function',
      '/staff?select=name,boss(name)&order=boss(name).desc.nullslast,id.desc&limit=1',
      [{ name: 'Cat', boss: { name: 'Ann' } }],
    ],
    [
      'what a function has in place of a key',
      '/shops?select=name,goods(name)&order=id',
      [
        { name: 'One', goods: [{ name: 'b' }] },
        { name: 'Two', goods: [] },
      ],
    ],
    [
      'the function that is for this row, of several by one name',
      '/shops?select=item(name)&id=eq.1',
      [{ item: { name: 'a' } }],
    ],
    [
      'the other function of that name',
      '/goods?select=name,item(name)&id=eq.1',
      [{ name: 'a', item: { name: 'One' } }],
    ],
    [
      'what belongs to the rows of a function',
      '/rpc/all_shops?select=name,goods(name)&order=id&limit=1',
      [{ name: 'One', goods: [{ name: 'b' }] }],
    ],
    [
      'what belongs to a function of a function',
      '/rpc/all_shops?select=name,item(name,shops(name))&name=eq.One',
      [{ name: 'One', item: { name: 'a', shops: { name: 'One' } } }],
    ],
    [
      'what belongs to children by a function',
      '/staff?select=name,staff!boss_id(name,badge)&id=eq.1&staff.order=id',
      [
        {
          name: 'Ann',
          staff: [
            { name: 'Ben', badge: '#2' },
            { name: 'Cat', badge: '#3' },
          ],
        },
      ],
    ],
  ])('%s', async (_title, path, expected) => {
    const answer = await world.ask(encodeURI(path))
    expect(answer.body, answer.text).toEqual(expected)
    expect(answer.status).toBe(200)
  })
})

describe('a computed column', () => {
  test.each([
    ['is selected', '/staff?select=name,badge&id=eq.1', [{ name: 'Ann', badge: '#1' }]],
    ['is selected beside all others', '/makers?select=*,badge', [{ id: 1, name: 'Volvo', badge: 'M1' }]],
    ['filters', '/staff?select=name&badge=eq.%232', [{ name: 'Ben' }]],
    ['filters in a tree', '/staff?select=id&or=(badge.eq."%232",id.eq.3)&order=id', [{ id: 2 }, { id: 3 }]],
    ['orders', '/staff?select=id&order=badge.desc&limit=1', [{ id: 3 }]],
    ['is cast', '/staff?select=b:badge::varchar&id=eq.1', [{ b: '#1' }]],
  ])('%s', async (_title, path, expected) => {
    expect((await world.ask(path)).body).toEqual(expected)
  })

  test.each([
    ['beside what was written', 'name,badge', { name: 'New', badge: '#1' }],
    ['beside all that was written', '*,badge', { id: 1, name: 'New', boss_id: null, deputy_id: null, badge: '#1' }],
    [
      'beside what belongs to what was written',
      'badge,followers(name)',
      {
        badge: '#1',
        followers: [{ name: 'Ben' }, { name: 'Cat' }],
      },
    ],
  ])('comes %s', async (_title, select, expected) => {
    const order = select.includes('followers') ? '&followers.order=id' : ''
    const answer = await world.ask(`/staff?select=${select}&id=eq.1${order}`, {
      method: 'PATCH',
      body: { name: 'New' },
      headers: { prefer: 'return=representation,tx=rollback' },
    })
    expect(answer.body, answer.text).toEqual([expected])
  })
})
