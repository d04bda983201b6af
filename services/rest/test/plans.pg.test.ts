import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCatalog } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { createCatalogView } from '../src/catalog/catalog-view.ts'
import type { RestCatalog } from '../src/catalog/catalog.ts'
import { planRequest } from '../src/plan/plan-request.ts'
import { renderQuery } from '../src/query/render-query.ts'
import { parseRequest } from '../src/request/parse-request.ts'

// What Postgres does with the statements: indexes are used, embeds are computed for the rows of the page only, and every row of it
// once. Counted in rows that plan nodes touch, so that the machine does not matter.

let db: TestDatabase
let catalog: RestCatalog

beforeAll(async () => {
  db = await openTestDatabase()
  await db.pool.withClient((client) =>
    client.query(`
      create table clients (id int primary key, name text not null);
      create table orders (id int primary key, client_id int not null, total int not null, meta jsonb);
      create index on orders (client_id, id);
      create index on orders ((meta ->> 'k'));
      create table lines (id int primary key, order_id int not null, amount int not null);
      create index on lines (order_id);
      create view order_list as select id as order_no, client_id, total from orders;
      create function first_lines(orders) returns setof lines language sql stable as $$ select * from lines where order_id = $1.id $$;
      insert into clients select i, 'client ' || i from generate_series(1, 2000) i;
      insert into orders select i, i % 1900 + 1, i * 7919 % 1000003, jsonb_build_object('k', 'k' || i) from generate_series(1, 100000) i;
      insert into lines select i, i % 90000 + 1, i % 100 from generate_series(1, 100000) i;
      alter table orders add foreign key (client_id) references clients;
      alter table lines add foreign key (order_id) references orders;
      analyze clients, orders, lines;
    `),
  )
  catalog = createCatalogView()(await readCatalog(db.pool))
})

afterAll(() => db?.[Symbol.asyncDispose]())

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Node[]
}

async function explain(address: string): Promise<readonly Node[]> {
  const [path = '', search = ''] = address.split('?')
  const raw = { method: 'GET', path, search, headers: {}, body: undefined }
  const plan = planRequest(
    parseRequest(raw, { schemas: ['public'], mayChooseEnd: true, root: { kind: 'schema' } }),
    catalog,
    {
      rowsMax: 1000,
      writesNeedFilter: true,
      aggregatesEnabled: true,
      schemas: ['public'],
      plansAllowed: false,
      targetNamesAllowed: true,
    },
  )
  if (plan.kind === 'info' || plan.kind === 'inspect') throw new Error('there is a statement')
  const { text, values } = renderQuery(plan).main.render()
  return db.pool.withClient(async (client) => {
    const { rows } = await client.query(`explain (analyze, timing off, format json) ${text}`, [...values])
    const [{ Plan: root }] = rows[0]['QUERY PLAN'] as readonly [{ readonly Plan: Node }]
    return flatten(root)
  })
}

function flatten(node: Node): readonly Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)]
}

/** Rows that were read of a relation, those that were thrown away included. */
function touched(nodes: readonly Node[], relation: string): number {
  return nodes
    .filter((node) => node['Relation Name'] === relation)
    .reduce(
      (sum, node) => sum + node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)),
      0,
    )
}

describe('reads of the page only', () => {
  test.each([
    ['by an index, without embeds', '/orders?order=id.desc&limit=100', { orders: 100 }],
    ['with parents', '/orders?select=id,clients(name)&order=id&limit=100', { orders: 100, clients: 100 }],
    [
      'parents, though all rows have to be sorted',
      '/orders?select=id,clients(name)&order=total&limit=100',
      {
        orders: 100_000,
        clients: 100,
      },
    ],
    [
      'children, though all rows have to be sorted',
      '/orders?select=id,lines(amount)&order=total&limit=20',
      {
        orders: 100_000,
        lines: 60,
      },
    ],
    [
      'children up to their limit',
      '/clients?select=id,orders(id)&orders.order=id.desc&orders.limit=3&order=id&limit=100',
      {
        clients: 100,
        orders: 300,
      },
    ],
    [
      'parents and children of one row',
      '/orders?select=id,clients(name),lines(amount)&id=eq.500',
      {
        orders: 1,
        clients: 1,
        lines: 3,
      },
    ],
    [
      'embeds of a view',
      '/order_list?select=order_no,clients(name),lines(amount)&order_no=eq.500',
      {
        orders: 1,
        clients: 1,
        lines: 3,
      },
    ],
    ['embeds of a function', '/orders?select=id,first_lines(amount)&id=eq.500', { orders: 1, lines: 3 }],
    ['rows that have some child', '/orders?select=id,lines!inner(amount)&id=eq.500', { orders: 1, lines: 6 }],
    ['rows of one parent', '/orders?select=id,clients!inner(name)&clients.id=eq.7', { orders: 60, clients: 60 }],
    ['rows by a JSON path', '/orders?select=id&meta->>k=eq.k77', { orders: 1 }],
  ])('%s', async (_title, address, most) => {
    const nodes = await explain(address)
    for (const [relation, rows] of Object.entries(most)) {
      expect(touched(nodes, relation), relation).toBeLessThanOrEqual(rows)
      expect(touched(nodes, relation), relation).toBeGreaterThan(0)
    }
  })
})

test('an embed is aggregated once for each row', async () => {
  const nodes = await explain('/clients?select=id,orders(id,lines(id))&id=lt.5&orders.limit=2')
  const aggregates = nodes.filter((node) => node['Node Type'] === 'Aggregate')
  expect(aggregates.map((node) => node['Actual Loops'])).toEqual([1, 4, 8])
})

test('rows without children are found by an anti-join', async () => {
  const nodes = await explain('/clients?select=id,orders()&orders=is.null')
  expect(nodes.some((node) => JSON.stringify(node).includes('"Join Type":"Anti"'))).toBe(true)
})
