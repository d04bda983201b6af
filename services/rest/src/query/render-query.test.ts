import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Utf8 } from '@holdfast/postgres'
import { anyFilter, logicTreeOf } from '../../test/filter-arbitrary.ts'
import { smallCatalog } from '../../test/small-catalog.ts'
import { planConditions } from '../plan/plan-field.ts'
import { planRequest } from '../plan/plan-request.ts'
import { parseRequest } from '../request/parse-request.ts'
import type { LogicTree } from '../request/api-request.ts'
import { renderCondition } from './render-filter.ts'
import { renderQuery } from './render-query.ts'

const catalog = smallCatalog()

function render(method: string, address: string, body?: string, headers: Readonly<Record<string, string>> = {}) {
  const [path = '', search = ''] = address.split('?')
  const raw = { method, path, search, headers, body: body === undefined ? undefined : Buffer.from(body) }
  const plan = planRequest(
    parseRequest(raw, { schemas: ['public'], mayChooseEnd: true, root: { kind: 'schema' } }),
    catalog,
    {
      rowsMax: undefined,
      writesNeedFilter: true,
      aggregatesEnabled: false,
      schemas: ['public'],
      plansAllowed: false,
      targetNamesAllowed: true,
    },
  )
  if (plan.kind === 'info' || plan.kind === 'inspect') throw new Error('no statement')
  const { text, values } = renderQuery(plan).main.render()
  return { text, values: values.map((value) => (value instanceof Utf8 ? value.toString() : value)) }
}

describe('renderQuery', () => {
  test('a read with a parent and a filter on it', () => {
    const query = render(
      'GET',
      '/tasks?select=id,project:projects!inner(name)&project.name=eq.Roof&done=is.false&order=id.desc&limit=2',
    )
    expect(query.text).toMatchInlineSnapshot(
      `"with "rest_result" as (select "public"."tasks"."id", row_to_json("projects_1_embed".*) as "project" from "public"."tasks" inner join lateral (select "projects_1"."name" from "public"."projects" as "projects_1" where "projects_1"."id" = "public"."tasks"."project_id" and "projects_1"."name" = $1) as "projects_1_embed" on true where "public"."tasks"."done" is false order by "public"."tasks"."id" desc limit 2) select null::text as "total", count(*)::text as "rows", coalesce(json_agg("rest_page".*), '[]')::text as "body", null::text as "location", null::text as "inserted", nullif(current_setting('response.headers', true), '') as "headers", nullif(current_setting('response.status', true), '') as "status" from "rest_result" as "rest_page""`,
    )
    expect(query.values).toMatchInlineSnapshot(`
      [
        "Roof",
      ]
    `)
  })

  test('a read with children, many-to-many, and a count', () => {
    const query = render('GET', '/projects?select=*,tasks(id,people(name))&tasks.limit=3&limit=5', undefined, {
      prefer: 'count=exact',
    })
    expect(query.text).toMatchInlineSnapshot(
      `"with "rest_result" as (select "public"."projects".*, (select coalesce(json_agg("rest_item".*), '[]') from (select "tasks_1"."id", (select coalesce(json_agg("rest_item".*), '[]') from (select "people_2"."name" from "public"."people" as "people_2" cross join "public"."task_people" as "people_2_junction" where "people_2_junction"."tasks_id" = "tasks_1"."id" and "people_2_junction"."people_id" = "people_2"."id") as "rest_item") as "people" from "public"."tasks" as "tasks_1" where "tasks_1"."project_id" = "public"."projects"."id" limit 3) as "rest_item") as "tasks" from "public"."projects" limit 5), "rest_counted" as (select 1 from "public"."projects") select (select count(*) from "rest_counted")::text as "total", count(*)::text as "rows", coalesce(json_agg("rest_page".*), '[]')::text as "body", null::text as "location", null::text as "inserted", nullif(current_setting('response.headers', true), '') as "headers", nullif(current_setting('response.status', true), '') as "status" from "rest_result" as "rest_page""`,
    )
    expect(query.values).toMatchInlineSnapshot(`[]`)
  })

  test('an upsert with defaults', () => {
    const body = '[{"id":1,"title":"x"}]'
    const query = render('POST', '/tasks?columns=id,title,done&select=id', body, {
      prefer: 'resolution=merge-duplicates,missing=default,return=representation',
    })
    expect(query.text).toMatchInlineSnapshot(
      `"with "rest_result" as (insert into "public"."tasks" ("id", "title", "done") select "rest_body"."id", "rest_body"."title", "rest_body"."done" from (select $1::jsonb as "value") as "rest_payload", lateral (select coalesce(jsonb_agg(jsonb_build_object('done', false) || "element"), '[]') as "value" from jsonb_array_elements("rest_payload"."value") as "element") as "rest_filled", lateral (select "id", "title", "done" from jsonb_to_recordset("rest_filled"."value") as "_"("id" integer, "title" character varying(20), "done" boolean)) as "rest_body" where set_config('rest.inserted', (coalesce(nullif(current_setting('rest.inserted', true), '')::int, 0) + 1)::text, true) <> '0' on conflict ("id") do update set "id" = excluded."id", "title" = excluded."title", "done" = excluded."done" where set_config('rest.inserted', (coalesce(nullif(current_setting('rest.inserted', true), '')::int, 0) - 1)::text, true) <> '-1' returning "public"."tasks"."id") select null::text as "total", count(*)::text as "rows", coalesce(json_agg("rest_page".*), '[]')::text as "body", null::text as "location", nullif(current_setting('rest.inserted', true), '') as "inserted", case when current_setting('response.headers', true) <> '' then case when (current_setting('response.headers', true) collate "C" ~  E'^[ \\\\t\\\\n\\\\r]*\\\\[(?:[ \\\\t\\\\n\\\\r]*\\\\{[ \\\\t\\\\n\\\\r]*"[!#$%&''*+.^_\`|~0-9A-Za-z-]+"[ \\\\t\\\\n\\\\r]*:[ \\\\t\\\\n\\\\r]*"(?:[^"\\\\\\\\\\\\u0001-\\\\u001f\\\\u007f]|\\\\\\\\(?:["\\\\\\\\/t]|u(?!00(?:0[^9]|1|7[fF]))[0-9a-fA-F]{4}))*"[ \\\\t\\\\n\\\\r]*\\\\}[ \\\\t\\\\n\\\\r]*(?:,(?![ \\\\t\\\\n\\\\r]*\\\\])|(?=\\\\])))*[ \\\\t\\\\n\\\\r]*\\\\][ \\\\t\\\\n\\\\r]*$' and not lower(current_setting('response.headers', true) collate "C") ~  E'"(?:connection|content-length|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)"[ \\\\t\\\\n\\\\r]*:') then current_setting('response.headers', true) else current_setting('rest.refused_response_headers') end end as "headers", case when current_setting('response.status', true) <> '' then case when (current_setting('response.status', true) collate "C" ~ '^0*([2-5][0-9]{2})(?![0-9])') then current_setting('response.status', true) else current_setting('rest.refused_response_status') end end as "status" from (select "tasks"."id" from "rest_result" as "tasks") as "rest_page""`,
    )
    expect(query.values).toEqual([body])
  })

  test('an update', () => {
    const query = render('PATCH', '/tasks?id=in.(1,2)&title=like.a*', '{"done":true}')
    expect(query.text).toMatchInlineSnapshot(
      `"with "rest_result" as (update "public"."tasks" set "done" = "rest_body"."done" from (select $1::json as "value") as "rest_payload", lateral (select "done" from json_to_record("rest_payload"."value") as "_"("done" boolean) limit 1) as "rest_body" where "public"."tasks"."id" = any($2) and "public"."tasks"."title" like $3 returning 1) select null::text as "total", count(*)::text as "rows", '' as "body", null::text as "location", null::text as "inserted", case when current_setting('response.headers', true) <> '' then case when (current_setting('response.headers', true) collate "C" ~  E'^[ \\\\t\\\\n\\\\r]*\\\\[(?:[ \\\\t\\\\n\\\\r]*\\\\{[ \\\\t\\\\n\\\\r]*"[!#$%&''*+.^_\`|~0-9A-Za-z-]+"[ \\\\t\\\\n\\\\r]*:[ \\\\t\\\\n\\\\r]*"(?:[^"\\\\\\\\\\\\u0001-\\\\u001f\\\\u007f]|\\\\\\\\(?:["\\\\\\\\/t]|u(?!00(?:0[^9]|1|7[fF]))[0-9a-fA-F]{4}))*"[ \\\\t\\\\n\\\\r]*\\\\}[ \\\\t\\\\n\\\\r]*(?:,(?![ \\\\t\\\\n\\\\r]*\\\\])|(?=\\\\])))*[ \\\\t\\\\n\\\\r]*\\\\][ \\\\t\\\\n\\\\r]*$' and not lower(current_setting('response.headers', true) collate "C") ~  E'"(?:connection|content-length|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)"[ \\\\t\\\\n\\\\r]*:') then current_setting('response.headers', true) else current_setting('rest.refused_response_headers') end end as "headers", case when current_setting('response.status', true) <> '' then case when (current_setting('response.status', true) collate "C" ~ '^0*([2-5][0-9]{2})(?![0-9])') then current_setting('response.status', true) else current_setting('rest.refused_response_status') end end as "status" from "rest_result" as "rest_page""`,
    )
    expect(query.values).toMatchInlineSnapshot(`
      [
        "{"done":true}",
        "{"1","2"}",
        "a%",
      ]
    `)
  })

  test.each([
    ['/projects?meta->a->>b=eq.1', `"public"."projects"."meta"->$1->>$2 = $3`, ['a', 'b', '1']],
    ['/projects?name->0=eq.1', `to_jsonb("public"."projects"."name")->$1::int = $2`, ['0', '1']],
    [
      '/projects?document=wfts(english).x',
      `"public"."projects"."document" @@ websearch_to_tsquery($1::regconfig, $2)`,
      ['english', 'x'],
    ],
    ['/projects?name=fts.x', `to_tsvector("public"."projects"."name") @@ to_tsquery($1)`, ['x']],
    ['/projects?name=not.in.(a,"b,\\"")', `not ("public"."projects"."name" = any($1))`, [String.raw`{"a","b,\""}`]],
    ['/projects?name=ilike(all).{a*,*b}', `"public"."projects"."name" ilike all($1)`, ['{a%,%b}']],
    [
      '/projects?not.or=(id.eq.1,and(id.gt.2,name.isdistinct.x))',
      `not ("public"."projects"."id" = $1 or ("public"."projects"."id" > $2 and "public"."projects"."name" is distinct from $3))`,
      ['1', '2', 'x'],
    ],
    ['/projects?"a""b"=eq.1', undefined, undefined],
    ['/projects?a"b=is.null', undefined, undefined],
  ])('the condition of %s', (address, condition, values) => {
    if (condition === undefined) {
      expect(() => render('GET', address)).toThrow()
      return
    }
    const query = render('GET', address)
    expect(query.text).toContain(` where ${condition})`)
    expect(query.values).toEqual(values)
  })

  test.each([
    ['/tasks?select=id::int', 'cast("public"."tasks"."id" as pg_catalog."int4")'],
    ['/tasks?select=id::Mood', 'cast("public"."tasks"."id" as "mood")'],
    ['/tasks?select=id::double%20precision', 'as pg_catalog."float8")'],
    ['/tasks?select=id::text%20collate%20x', 'as "text collate x")'],
  ])('a cast is a known type or one quoted name: %s', (address, text) => {
    expect(render('GET', address).text).toContain(text)
  })

  test('the text depends on the structure of the conditions only, never on values', () => {
    fc.assert(
      fc.property(logicTreeOf(anyFilter), fc.string({ unit: 'grapheme' }), (tree, other) => {
        const text = (item: LogicTree) =>
          renderCondition(planConditions(undefined, ['t'], [], [item])[0]!).render().text
        expect(text(withValues(tree, `'; drop table x; --${other}`))).toBe(text(tree))
      }),
    )
  })
})

function withValues(tree: LogicTree, value: string): LogicTree {
  if (tree.kind === 'logic') return { ...tree, children: tree.children.map((child) => withValues(child, value)) }
  const { operation } = tree
  if (operation.kind === 'is') return tree
  if (operation.kind === 'in') return { ...tree, operation: { ...operation, values: [value, value] } }
  return { ...tree, operation: { ...operation, value } }
}
