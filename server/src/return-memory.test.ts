import { expect, test } from 'vitest'
import { returnMemory } from './return-memory.ts'

/** In a function of its own, whose frame holds nothing when it has returned. */
function forgotten(): WeakRef<object> {
  return new WeakRef({ rows: Array.from({ length: 1_000 }, (_, index) => ({ index })) })
}

test('frees what nothing holds any more', async () => {
  const reference = forgotten()
  // What a weak reference was made for stays until the end of the turn.
  await new Promise((resolve) => setTimeout(resolve))
  await returnMemory()
  expect(reference.deref()).toBeUndefined()
})
