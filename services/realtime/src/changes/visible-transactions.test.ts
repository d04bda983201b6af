import { expect, test } from 'vitest'
import { seenBy } from './visible-transactions.ts'

test.each([
  ['100:105:100,103', [101, 102, 104], [100, 103, 105, 106]],
  ['100:100:', [99], [100]],
  // The epoch wrapped between transaction and snapshot, and vice versa.
  ['4294967290:4294967300:', [4_294_967_295, 3], [4, 5]],
  ['4294967290:4294967294:4294967292', [4_294_967_293], [4_294_967_292, 4_294_967_294, 2]],
])('the snapshot %s has seen %j and not %j', (snapshot, seen, unseen) => {
  const isSeen = seenBy(snapshot)
  expect(seen.map(isSeen)).toEqual(seen.map(() => true))
  expect(unseen.map(isSeen)).toEqual(unseen.map(() => false))
})
