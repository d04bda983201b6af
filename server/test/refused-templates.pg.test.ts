import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { runsOf } from '@holdfast/test-support/runs'
import {
  EDDA,
  MOLE,
  table,
  templateOf,
  TemplateWorld,
  text,
  type Part,
  type Template,
} from './support/template-world.ts'

// A template is untrusted input: a refused one leaves nothing behind.

let world: TemplateWorld
beforeAll(async () => {
  world = await TemplateWorld.open()
})
afterAll(() => world[Symbol.asyncDispose]())

describe('refused, leaving nothing', () => {
  const link = (to: unknown): Part => ({ name: 'to', label: 'To', kind: 'link', table: to })
  const record = (values: Part): Template =>
    templateOf(
      table('t', {
        fields: [
          text('title'),
          { name: 'due', label: 'Due', kind: 'date' },
          { name: 'n', label: 'N', kind: 'integer' },
          link('t'),
        ],
        records: [{ id: 'a', ...values }],
      }),
    )

  const withTile = (more: Part): Template => ({
    ...templateOf(table('t')),
    dashboards: [{ name: 'x', tiles: [{ id: 'a', kind: 'number', table: 't', width: 1, height: 1, ...more }] }],
  })

  const withAutomation = (more: Part): Template => {
    const step = { kind: 'notify', to: ['admins'], text: 'x' }
    return {
      ...templateOf(table('t')),
      automations: [{ name: 'x', when: { kind: 'added', table: 't' }, do: [step], ...more }],
    }
  }

  test.each<readonly [string, unknown]>([
    ['template.form', 7],
    ['template.form', { name: 'x', tables: [table('t')] }],
    ['template.version', { ...templateOf(table('t')), holdfast_template: 2 }],
    ['template.form', { ...templateOf(table('t')), sql: 'drop table x' }],
    ['template.form', { ...templateOf(table('t')), name: ' ' }],
    ['template.size', { ...templateOf(table('t')), description: 'x'.repeat(1_000_001) }],
    ['template.tables', templateOf()],
    ['template.tables', { holdfast_template: 1, name: 'x', tables: { key: 't' } }],
    ['template.tables', templateOf(...Array.from({ length: 31 }, (_, n) => table(`t${n}`)))],
    ['template.tables', templateOf(table('t'), table('t'))],
    ['template.form', templateOf(table('t', { policies: 'using (true)' }))],
    ['new_table.name', templateOf(table('T"; drop table x; --'))],
    ['new_table.name', templateOf(table('pg_t'))],
    ['new_table.label', templateOf(table('t', { label: 'a\nb' }))],
    ['new_table.access', templateOf(table('t', { access: { kind: 'everyone' } }))],
    ['new_table.kind', templateOf(table('t', { fields: [text('a', { kind: 'text default pg_sleep(9)' })] }))],
    ['template.form', templateOf(table('t', { fields: ['a'] }))],
    ['template.dashboard', withTile({ kind: 'gauge' })],
    ['template.dashboard', withTile({ table: 'elsewhere' })],
    ['template.dashboard', withTile({ sql: 'drop table x' })],
    ['template.form', { ...withTile({}), dashboards: [{ name: 'x', tiles: [], sql: 'drop table x' }] }],
    ['template.automation', withAutomation({ when: { kind: 'added', table: 'users' } })],
    ['template.automation', withAutomation({ when: 'added' })],
    ['template.automation', withAutomation({ do: [{ kind: 'create', table: 'elsewhere', set: { title: 'x' } }] })],
    ['template.automation', withAutomation({ do: [{ kind: 'update', set: { nothing: 'x' } }] })],
    ['template.automation', withAutomation({ do: ['drop table x'] })],
    ['template.automation', withAutomation({ name: '' })],
    ['template.form', withAutomation({ is_on: true })],
    ['template.form', withAutomation({ runs_as: MOLE })],
    ['template.automations', { ...templateOf(table('t')), automations: Array.from({ length: 51 }, () => ({})) }],
    ['template.fields', templateOf(table('t', { fields: [] }))],
    ['new_table.name', templateOf(table('t', { fields: [text('created_by')] }))],
    ['template.link', templateOf(table('t', { fields: [text('a'), link('auth.users')] }))],
    ['template.link', templateOf(table('t', { fields: [text('a'), link('elsewhere')] }))],
    ['template.link', templateOf(table('t', { fields: [text('a'), link(undefined)] }))],
    ['new_table.fields', templateOf(table('t', { fields: [link('u')] }), table('u', { fields: [link('t')] }))],
    ['template.form', templateOf(table('t', { looks: { workspace_id: MOLE } }))],
    ['template.look', templateOf(table('t', { looks: { color: 'url(x)' } }))],
    ['template.form', templateOf(table('t', { fields: [text('a', { looks: { 'label) values (1); --': 'x' } })] }))],
    ['template.form', templateOf(table('t', { fields: [text('a', { looks: { table_name: 'u' } })] }))],
    ['template.form', templateOf(table('t', { views: [{ name: 'v', scope: 'locked' }] }))],
    ['template.look', templateOf(table('t', { views: [{ name: 'v', type: 'script' }] }))],
    ['template.view', templateOf(table('t', { views: [{ name: 'v', config: { filter: { a: 1 } } }] }))],
    ['template.view', templateOf(table('t', { views: [{ name: 'v', config: 'x' }] }))],
    ['template.look', templateOf(table('t', { views: [{ name: 'v', config: { filter: 'x'.repeat(20_000) } }] }))],
    ['template.rule', templateOf(table('t', { transitions: [{ field: 'nothing', to: 'x' }] }))],
    ['template.form', templateOf(table('t', { transitions: [{ field: 'title', to: 'x', allowed_if: 'public.f' }] }))],
    ['template.checklist', { ...templateOf(table('t')), checklists: [{ table: 't', items: 'users', answers: 't' }] }],
    ['template.checklists', { ...templateOf(table('t')), checklists: Array.from({ length: 11 }, () => ({})) }],
    [
      'template.records',
      templateOf(table('t', { records: Array.from({ length: 10_000 }, (_, n) => ({ id: `r${n}` })) })),
    ],
    [
      'template.limit',
      templateOf(
        ...['a', 'b'].map((key) => table(key, { records: Array.from({ length: 1_001 }, (_, n) => ({ id: `r${n}` })) })),
      ),
    ],
    ['template.record', templateOf(table('t', { records: [{ id: 'a' }, { id: 'a' }] }))],
    ['template.record', templateOf(table('t', { records: [{ title: 'x' }] }))],
    ['template.record', record({ id: "a'); drop table x; --" })],
    ['template.record', record({ created_by: MOLE })],
    ['template.record', record({ 'title) values (1); --': 'x' })],
    ['template.record', record({ due: 'the day after' })],
    ['template.record', record({ n: 'seven' })],
    ['template.record', record({ n: '99999999999999999999' })],
    ['template.record', record({ to: 'b' })],
    ['template.record', record({ to: MOLE })],
  ])('%s: case %#', async (hint, template) => {
    const before = await world.relations()
    await expect(world.load(template)).rejects.toMatchObject({ hint })
    expect(await world.relations()).toEqual(before)
  })

  test.each([EDDA, MOLE])('%s is no admin of the workspace', async (who) => {
    const refusal = { code: '42501', hint: 'people.not_admin' }
    await expect(world.load(templateOf(table('t')), who)).rejects.toMatchObject(refusal)
    await expect(world.exported(who)).rejects.toMatchObject(refusal)
    await expect(
      world.answer(who, sql`select holdfast.template_sql(${world.water}, '{}') as result`),
    ).rejects.toMatchObject(refusal)
  })

  test('whatever it says, a template creates the tables that it names or nothing', async () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        "'; drop table public.x; --",
        '")',
        '%s',
        '%1$I',
        '$$',
        "\\'",
        'today+99999',
        '{"en":1}',
        '.',
        'a',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    )
    const value = fc.oneof(hostile, fc.integer(), fc.constant(null), fc.dictionary(hostile, hostile, { maxKeys: 2 }))
    const parts = fc.record({
      label: fc.oneof(hostile, fc.constant('A')),
      looks: fc.dictionary(fc.constantFrom('icon', 'section', 'translations'), value, { maxKeys: 2 }),
      views: fc.array(
        fc.record({
          name: value,
          type: fc.constantFrom('grid', 'map'),
          config: fc.dictionary(hostile, hostile, { maxKeys: 2 }),
        }),
        { maxLength: 2 },
      ),
      records: fc.array(fc.record({ id: fc.constantFrom('a', 'b'), title: value, c: value, d: value }), {
        maxLength: 2,
      }),
      transitions: fc.array(fc.record({ field: fc.constantFrom('title', 'c'), to: value, words: hostile }), {
        maxLength: 1,
      }),
    })
    const fields = [
      text('title'),
      text('c', { kind: 'choice', choices: ["a'", '%I'] }),
      text('d', { kind: 'datetime' }),
    ]
    const before = await world.relations()
    await fc.assert(
      fc.asyncProperty(parts, async (part) => {
        const loaded = await world.load(templateOf(table('hostile', { fields, ...part }))).catch((error: unknown) => {
          const { code, hint } = error as { readonly code?: string; readonly hint?: string }
          if (code !== '22P05') expect(hint).toMatch(/^(new_table|template)\./)
          return undefined
        })
        if (loaded) expect(await world.remove(loaded)).toEqual({ removed: ['hostile'], kept: {} })
        expect(await world.relations()).toEqual(before)
      }),
      { numRuns: runsOf(80) },
    )
  })
})
