import { describe, expect, test } from 'vitest'
import { policyForms } from './policy-forms.ts'
import { preparePolicyParser } from './syntax/parse.ts'

await preparePolicyParser()

describe('a policy is made of', () => {
  test.each([
    ['is_public', ['row filter']],
    ["(state <> 'draft'::text)", ['row filter']],
    ["((auth.jwt() ->> 'tier'::text) = 'pro'::text)", ['claims']],
    ['(owner_id = ( SELECT auth.uid() AS uid))', ['equality']],
    ['(auth.uid() = ANY (editors))', ['equality']],
    ['(list_id IN ( SELECT m.list_id FROM public.members m WHERE (m.user_id = auth.uid())))', ['set']],
    ['(EXISTS ( SELECT 1 FROM public.lists l WHERE ((l.id = todos.list_id) AND (l.owner = auth.uid()))))', ['EXISTS']],
    ['public.is_member(org_id)', ['function']],
    ["(level <= ((auth.jwt() ->> 'level'::text))::integer)", ['comparison']],
    [
      '((NOT (EXISTS ( SELECT 1 FROM public.blocks b WHERE (b.who = auth.uid())))) AND is_public)',
      ['row filter', 'EXISTS', 'negation'],
    ],
    ['((owner_id = auth.uid()) OR public.is_member(org_id))', ['equality', 'function']],
  ])('%s', (using, forms) => {
    expect(policyForms(using)).toEqual(forms)
  })
})
