import { expect, test } from 'vitest'
import { describeFloods } from './describe-floods.ts'

test('no flood is no problem', () => {
  expect(describeFloods({ buckets: [], classes: [] })).toBeUndefined()
})

test('a flood is told with the table, who does not get it, and who wrote it', () => {
  const problem = describeFloods({
    classes: [{ table: 'public.offers', policy: 'affordable', leftOut: 4, leftOutOf: new Map([['mina', 4]]) }],
    buckets: [
      {
        person: 'bob',
        table: 'public.documents',
        buckets: 1001,
        authors: [{ author: 'alice', rows: 1500 }],
      },
    ],
  })
  expect(problem).toBe(
    'rows do not reach devices, see holdfast sync status: ' +
      '4 or more access classes of public.offers by policy "affordable" are left out, brought by mina, ' +
      'bob does not get public.documents, which is in 1001 buckets or more, written by alice',
  )
})

test('of many floods some are named, and the others counted', () => {
  const buckets = ['ann', 'ben', 'cara', 'dan', 'eve'].map((person) => ({
    person,
    table: 'public.notes',
    buckets: 9,
    authors: [],
  }))
  const problem = describeFloods({ buckets, classes: [] }) ?? ''
  expect(problem).toContain('cara')
  expect(problem).not.toContain('dan')
  expect(problem).toMatch(/, 2 more$/)
})
