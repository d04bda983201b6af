import { expect, test } from 'vitest'
import { createId } from './random.ts'

test('the id of a row is the same on every machine, and that of a row of releases before', () => {
  expect(createId(20_260, 'sites', 0)).toBe('4388d370-9150-486b-965d-472116c09bff')
  expect(createId(20_260, 'answers', 20_999)).toBe('a7aa13a3-79dc-4606-ab82-3061ff989477')
})
