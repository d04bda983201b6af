import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  applyChange,
  createEntry,
  renderDiff,
  renderState,
  type PresenceEntry,
  type PresenceState,
} from './presence.ts'

test('an update is a leave of the old and a join of the new, which names it', () => {
  const first = createEntry('ada', '1', { at: 'a' }, undefined)
  const second = createEntry('ada', '2', { at: 'b', phx_ref: 'forged' }, first)
  expect(renderDiff({ joins: [second], leaves: [first] })).toEqual({
    joins: { ada: { metas: [{ at: 'b', phx_ref: '2', phx_ref_prev: '1' }] } },
    leaves: { ada: { metas: [{ at: 'a', phx_ref: '1' }] } },
  })
})

test('keys that name members of objects are keys', () => {
  const state: PresenceState = new Map()
  applyChange(state, { joins: [createEntry('__proto__', '1', {}, undefined)], leaves: [] })
  expect(JSON.stringify(renderState(state))).toBe('{"__proto__":{"metas":[{"phx_ref":"1"}]}}')
})

test('the state is who came and has not gone, however often each is said', () => {
  const change = fc.record({ key: fc.constantFrom('a', 'b'), ref: fc.constantFrom('1', '2', '3'), joins: fc.boolean() })
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const state: PresenceState = new Map()
      const present = new Map<string, PresenceEntry>()
      for (const { key, ref, joins } of changes) {
        const entry = createEntry(key, `${key}${ref}`, {}, undefined)
        applyChange(state, joins ? { joins: [entry], leaves: [] } : { joins: [], leaves: [entry] })
        if (joins) present.set(entry.ref, entry)
        else present.delete(entry.ref)
      }
      const metas = Object.values(renderState(state)).flatMap((own) => own.metas)
      expect(metas.map(({ phx_ref: ref }) => ref).toSorted()).toEqual([...present.keys()].toSorted())
    }),
  )
})
