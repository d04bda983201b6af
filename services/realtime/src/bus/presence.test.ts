import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEntry, PresenceState, renderDiff, type PresenceEntry } from './presence.ts'

test('an update is a leave of the old and a join of the new, which names it', () => {
  const first = createEntry('ada', '1', '{ "at": 1.10 }', undefined)
  const second = createEntry('ada', '2', '{"at":1e400,"phx_ref":"forged"}', first)
  const text = renderDiff({ joins: [second], leaves: [first] })
  expect(text).toBe(
    '{"joins":{"ada":{"metas":[{"at":1e400,"phx_ref":"forged","phx_ref":"2","phx_ref_prev":"1"}]}},' +
      '"leaves":{"ada":{"metas":[{"at": 1.10,"phx_ref":"1"}]}}}',
  )
  expect(JSON.parse(text)).toMatchObject({ joins: { ada: { metas: [{ phx_ref: '2' }] } } })
})

test('keys that name members of objects are keys', () => {
  const state = new PresenceState()
  state.apply({ joins: [createEntry('__proto__', '1', '{}', undefined)], leaves: [] })
  expect(state.render()).toBe('{"__proto__":{"metas":[{"phx_ref":"1"}]}}')
})

test('entries are counted by key, the first keys only', () => {
  const state = new PresenceState()
  const joins = ['a', 'b', 'c', 'a'].map((key, index) => createEntry(key, `${index}`, '{}', undefined))
  state.apply({ joins, leaves: [] })
  expect(state.size).toBe(4)
  expect(state.countByKey(2)).toEqual([
    { key: 'a', entries: 2 },
    { key: 'b', entries: 1 },
  ])
})

test('the state is who came and has not gone, however often each is said', () => {
  const change = fc.record({ key: fc.constantFrom('a', 'b'), ref: fc.constantFrom('1', '2', '3'), joins: fc.boolean() })
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const state = new PresenceState()
      const present = new Map<string, PresenceEntry>()
      for (const { key, ref, joins } of changes) {
        const entry = createEntry(key, `${key}${ref}`, '{}', undefined)
        state.apply(joins ? { joins: [entry], leaves: [] } : { joins: [], leaves: [entry] })
        if (joins) present.set(entry.ref, entry)
        else present.delete(entry.ref)
      }
      // The estimate is never below the actual size.
      const written = Buffer.byteLength(state.render())
      expect(state.bytes).toBe([...present.values()].reduce((sum, { bytes }) => sum + bytes, 0))
      if (present.size > 0) expect(state.bytes).toBeGreaterThanOrEqual(written)
      const rendered = JSON.parse(state.render()) as Record<string, { metas: { phx_ref: string }[] }>
      const metas = Object.values(rendered).flatMap((own) => own.metas)
      expect(metas.map(({ phx_ref: ref }) => ref).toSorted()).toEqual([...present.keys()].toSorted())
    }),
  )
})
