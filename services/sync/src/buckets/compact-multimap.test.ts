import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CompactMultimap } from './compact-multimap.ts'

test('keys have what was added and not deleted, in the order in which it came', () => {
  const things = Array.from({ length: 4 }, (_, number) => ({ number }))
  const step = fc.record({
    kind: fc.constantFrom('add', 'delete'),
    key: fc.constantFrom('a', 'b'),
    thing: fc.constantFrom(...things),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const few = new CompactMultimap<{ readonly number: number }>()
      const expected = new Map<string, Set<object>>([
        ['a', new Set()],
        ['b', new Set()],
      ])
      for (const { kind, key, thing } of steps) {
        few[kind as 'add' | 'delete'](key, thing)
        expected.get(key)?.[kind as 'add' | 'delete'](thing)
        for (const [name, all] of expected) {
          expect([...few.of(name)]).toEqual([...all])
          expect([few.countOf(name), few.has(name)]).toEqual([all.size, all.size > 0])
        }
        expect(few.size).toBe([...expected.values()].filter(({ size }) => size > 0).length)
        expect(new Set(few.all())).toEqual(new Set([...expected.values()].flatMap((all) => [...all])))
      }
    }),
  )
})
