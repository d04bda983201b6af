import { beforeAll, describe, expect, test } from 'vitest'
import { claimLinksOf } from './claim-links.ts'
import { preparePolicyParser } from './syntax/parse.ts'

/*
 * Pins which conditions link rows to claims, so that only users with those claims need to be evaluated; and that other conditions are assumed to concern
 * everyone. Conditions are in Postgres's printed form.
 */

beforeAll(preparePolicyParser)

const uid = { claim: ['sub'], isTyped: true }

describe('a row is tied to a claim', () => {
  test.each([
    ['(owner = auth.uid())', { ...uid, column: 'owner', isArray: false }],
    ['(( SELECT auth.uid() AS uid) = owner)', { ...uid, column: 'owner', isArray: false }],
    ['((owner)::text = (auth.uid())::text)', { ...uid, column: 'owner', isArray: false }],
    ['(( SELECT auth.uid() AS uid) = ANY (people))', { ...uid, column: 'people', isArray: true }],
    [
      `(tenant = ((auth.jwt() ->> 'tenant'::text))::uuid)`,
      { claim: ['tenant'], isTyped: true, column: 'tenant', isArray: false },
    ],
    [
      `(org = ((auth.jwt() -> 'app_metadata'::text) ->> 'org'::text))`,
      { claim: ['app_metadata', 'org'], isTyped: false, column: 'org', isArray: false },
    ],
    ['((level > 3) AND (owner = auth.uid()))', { ...uid, column: 'owner', isArray: false }],
  ])('by a column: %s', (condition, comparison) => {
    expect(claimLinksOf(condition, 'docs')).toEqual({ columns: [comparison], values: [], tables: [], rows: [] })
  })

  test('by its columns, by itself, or by a value of the claim', () => {
    const condition = `((owner = auth.uid()) OR (is_public AND (title <> ') OR ('::text)) OR ((auth.jwt() ->> 'kind'::text) = 'admin'::text))`
    expect(claimLinksOf(condition, 'docs')).toEqual({
      columns: [{ ...uid, column: 'owner', isArray: false }],
      values: [{ claim: ['kind'], isTyped: false, value: 'admin' }],
      tables: [],
      rows: ['is_public'],
    })
  })

  const members = { schema: 'public', name: 'members' }
  const byMember = {
    tables: [members],
    equal: [
      [
        { table: undefined, column: 'team' },
        { table: 0, column: 'team' },
      ],
    ],
    comparison: { ...uid, column: 'person', isArray: false, table: 0 },
  }
  test.each([
    ['(team IN ( SELECT m.team FROM public.members m WHERE (m.person = ( SELECT auth.uid() AS uid))))', byMember],
    [
      '(EXISTS ( SELECT 1 FROM public.members m WHERE ((docs.team = m.team) AND (m.person = auth.uid()) AND (m.level > docs.level))))',
      byMember,
    ],
    [
      '(team IN ( SELECT g.team FROM (public.groups g LEFT JOIN public.notes n ON ((n.a = g.a))) WHERE (g.team IN ( SELECT members.team FROM public.members WHERE (members.person = auth.uid())))))',
      {
        tables: [{ schema: 'public', name: 'groups' }, members],
        equal: [
          [
            { table: undefined, column: 'team' },
            { table: 0, column: 'team' },
          ],
          [
            { table: 0, column: 'team' },
            { table: 1, column: 'team' },
          ],
        ],
        comparison: { ...uid, column: 'person', isArray: false, table: 1 },
      },
    ],
  ])('over other tables: %s', (condition, link) => {
    expect(claimLinksOf(condition, 'docs')?.tables).toEqual([link])
  })

  test('by nothing where no row passes', () => {
    expect(claimLinksOf('false', 'docs')).toEqual({ columns: [], values: [], tables: [], rows: [] })
  })
})

describe('everybody may be concerned by', () => {
  test.each([
    ['another comparison', '(owner <> auth.uid())'],
    ['an operator of the project', '(owner OPERATOR(public.=) auth.uid())'],
    ['a negation', '(NOT (owner = auth.uid()))'],
    ['an equality beside a condition that is not understood', '((owner = auth.uid()) OR public.is_friend(owner))'],
    ['a function of the project', '(public.owner_of(id) = auth.uid())'],
    ['a setting', `(owner = (current_setting('app.user'::text))::uuid)`],
    [
      'an aggregate, which makes a row of none',
      '(EXISTS ( SELECT count(*) AS count FROM public.members m WHERE ((m.person = auth.uid()) AND (m.team = docs.team))))',
    ],
    [
      'a union',
      '(team IN ( SELECT m.team FROM public.members m WHERE (m.person = auth.uid()) UNION SELECT g.team FROM public.groups g))',
    ],
    [
      'a group, of which a row can be made of none',
      '(EXISTS ( SELECT 1 FROM public.members m WHERE (m.person = auth.uid()) GROUP BY GROUPING SETS (())))',
    ],
    ['no membership', '(NOT (EXISTS ( SELECT 1 FROM public.members m WHERE (m.person = auth.uid()))))'],
    ['all of some rows', '(team <> ALL ( SELECT m.team FROM public.members m WHERE (m.person = auth.uid())))'],
    [
      'a table on the outer side of a join',
      '(EXISTS ( SELECT 1 FROM (public.groups g LEFT JOIN public.members m ON ((m.person = auth.uid()))) WHERE (g.team = docs.team)))',
    ],
    ['whoever a clock lets in', '(opens < now())'],
  ])('%s', (_title, condition) => {
    expect(claimLinksOf(condition, 'docs')).toBeUndefined()
  })
})
