import { expect, test } from 'vitest'
import { closingOf } from './definitions.ts'

const closing = (text: string): string | undefined =>
  closingOf({ name: '', type: '', schema: '', owner: undefined, text })

test('a table is closed when what narrows its access was refused', () => {
  expect(closing('ALTER TABLE public.notes ENABLE ROW LEVEL SECURITY;')).toBe(
    'REVOKE ALL ON TABLE public.notes FROM PUBLIC, anon, authenticated;',
  )
  expect(
    closing('CREATE POLICY "on ON ""x""" ON public."odd ""name""" AS RESTRICTIVE TO authenticated USING (true);'),
  ).toBe('REVOKE ALL ON TABLE public."odd ""name""" FROM PUBLIC, anon, authenticated;')
})

test('a table stays open without what only gives access', () => {
  expect(closing('CREATE POLICY own ON public.notes TO authenticated USING (true);')).toBeUndefined()
  expect(closing('CREATE POLICY "AS RESTRICTIVE" ON public.notes USING (true);')).toBeUndefined()
  expect(closing('ALTER TABLE public.notes FORCE ROW LEVEL SECURITY;')).toBeUndefined()
})
