import { expect, test } from 'vitest'
import { releaseMemory } from './release-memory.ts'

/** In a separate function, whose frame holds no references after returning. */
function forgotten(): WeakRef<object> {
  return new WeakRef({ rows: Array.from({ length: 1_000 }, (_, index) => ({ index })) })
}

test('frees what nothing holds any more', async () => {
  const reference = forgotten()
  // The target of a new weak reference stays alive until the end of the turn.
  await new Promise((resolve) => setTimeout(resolve))
  await releaseMemory()
  expect(reference.deref()).toBeUndefined()
})
