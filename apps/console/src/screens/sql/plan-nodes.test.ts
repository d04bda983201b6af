import { expect, test } from 'vitest'
import { listNodes, parsePlan } from './plan-nodes.ts'
import { renderPlan } from './plan-text.ts'

interface Given {
  readonly [key: string]: unknown
  readonly Plans?: readonly Given[]
}

const plan = (root: Given): string =>
  JSON.stringify([{ Plan: root, 'Planning Time': 0.5, 'Execution Time': 20, Triggers: [] }])
const measured = (ms: number, rows: number, loops = 1): Given => ({
  'Actual Total Time': ms,
  'Actual Rows': rows,
  'Actual Loops': loops,
  'Plan Rows': rows,
})

const READ = { 'Shared Read Blocks': 40 }

test('own time is without the nodes below, over all runs', () => {
  const { root } = parsePlan(
    plan({
      'Node Type': 'Nested Loop',
      'Join Type': 'Left',
      ...measured(10, 100),
      Plans: [
        { 'Node Type': 'Seq Scan', 'Relation Name': 'notes', Alias: 'n', ...measured(2, 100) },
        {
          'Node Type': 'Index Scan',
          'Index Name': 'users_pkey',
          'Relation Name': 'users',
          Alias: 'users',
          ...measured(0.05, 1, 100),
        },
      ],
    }),
  )
  expect(root.label).toBe('Nested Loop Left Join')
  expect(root.actual).toMatchObject({ totalMs: 10, selfMs: 3 })
  expect(root.children.map(({ label, actual }) => [label, actual?.totalMs])).toEqual([
    ['Seq Scan on notes n', 2],
    ['Index Scan using users_pkey on users', 5],
  ])
})

test('times of parallel workers overlap', () => {
  const { root } = parsePlan(
    plan({
      'Node Type': 'Gather',
      'Workers Launched': 2,
      ...measured(10, 300),
      Plans: [{ 'Node Type': 'Seq Scan', 'Parallel Aware': true, 'Relation Name': 'notes', ...measured(8, 100, 3) }],
    }),
  )
  expect(root.actual?.selfMs).toBe(2)
  expect(root.children[0]).toMatchObject({ label: 'Parallel Seq Scan on notes', actual: { totalMs: 8 } })
})

test('the time and buffers of a `with` query are spent in the scan that reads it', () => {
  const { root } = parsePlan(
    plan({
      'Node Type': 'Aggregate',
      Strategy: 'Plain',
      ...measured(10, 1),
      ...READ,
      Plans: [
        {
          'Node Type': 'Seq Scan',
          'Subplan Name': 'CTE recent',
          'Relation Name': 'notes',
          ...measured(6, 100),
          ...READ,
        },
        { 'Node Type': 'CTE Scan', 'CTE Name': 'recent', ...measured(9, 100), ...READ },
      ],
    }),
  )
  expect(root.actual?.selfMs).toBe(1)
  expect(root.children.map(({ label, actual }) => [label, actual?.selfMs, actual?.buffers])).toEqual([
    ['CTE recent: Seq Scan on notes', 6, [['read', 40]]],
    ['CTE Scan on recent', 3, []],
  ])
  expect(root.actual?.buffers).toEqual([])
})

test('a misestimate is marked if it is tenfold and of many rows', () => {
  const factorOf = (estimate: number, rows: number, loops = 1): number | undefined =>
    parsePlan(plan({ 'Node Type': 'Result', ...measured(1, rows, loops), 'Plan Rows': estimate })).root.misestimate
  expect(factorOf(10, 1000)).toBe(100)
  expect(factorOf(1000, 0)).toBe(0.001)
  expect(factorOf(100, 900)).toBeUndefined()
  expect(factorOf(1, 20)).toBeUndefined()
  expect(factorOf(1, 20, 50)).toBe(20)
  expect(factorOf(1000, 0, 0)).toBeUndefined()
})

test('buffers are those of the node itself; other properties are details', () => {
  const { root } = parsePlan(
    plan({
      'Node Type': 'Sort',
      ...measured(1, 1),
      'Sort Key': ['a', 'b DESC'],
      'Shared Hit Blocks': 12,
      'Shared Read Blocks': 3,
      Plans: [
        {
          'Node Type': 'Seq Scan',
          'Relation Name': 't',
          Filter: '(a > 1)',
          'Rows Removed by Filter': 4,
          ...measured(1, 1),
          'Shared Hit Blocks': 10,
          'Shared Read Blocks': 3,
        },
      ],
    }),
  )
  expect(root.actual?.buffers).toEqual([['hit', 2]])
  expect(root.details).toEqual([['Sort Key', 'a, b DESC']])
  expect(root.children[0]?.details).toEqual([
    ['Filter', '(a > 1)'],
    ['Rows Removed by Filter', '4'],
  ])
})

test('a plan without a run has estimates only, and a text', () => {
  const json = JSON.stringify([
    {
      Plan: {
        'Node Type': 'ModifyTable',
        Operation: 'Delete',
        'Relation Name': 't',
        'Startup Cost': 0,
        'Total Cost': 12.5,
        'Plan Rows': 0,
        'Plan Width': 0,
        Plans: [
          {
            'Node Type': 'Seq Scan',
            'Relation Name': 't',
            Filter: '(a > 1)',
            'Startup Cost': 0,
            'Total Cost': 12.5,
            'Plan Rows': 50,
            'Plan Width': 6,
          },
        ],
      },
    },
  ])
  const parsed = parsePlan(json)
  expect(listNodes(parsed.root).map(({ actual }) => actual)).toEqual([undefined, undefined])
  expect(renderPlan(parsed)).toBe(
    [
      'Delete on t  (cost=0.00..12.50 rows=0 width=0)',
      '  ->  Seq Scan on t  (cost=0.00..12.50 rows=50 width=6)',
      '        Filter: (a > 1)',
    ].join('\n'),
  )
})
