import { describe, expect, test } from 'vitest'
import { type FirstKey, type KeyPress, PAIR_MS, readHotkey } from './hotkeys.ts'

const BOUND = new Set(['mod+k', 'g h', 'c', '?', 'h'])
const NONE = { isMod: false, isMeta: false, isCtrl: false, isAlt: false, isShift: false }
const MOD = { ...NONE, isMod: true, isCtrl: true }

interface Typed extends Partial<Omit<KeyPress, 'modifiers'>> {
  readonly key: string
  readonly modifiers?: Partial<KeyPress['modifiers']>
}

/** The hotkeys completed by successive key presses. */
function namesOf(presses: readonly Typed[], hasLetters = true): readonly (string | undefined)[] {
  let first: FirstKey
  return presses.map(({ modifiers, ...typed }) => {
    const press = { atMs: 0, isTaken: false, ...typed, modifiers: { ...NONE, ...modifiers } }
    const read = readHotkey(first, press, { hasLetters, isBound: (name) => BOUND.has(name) })
    first = read.first
    return read.name
  })
}

describe('a hotkey', () => {
  test('is a single key, with Shift where the layout needs it', () => {
    expect(namesOf([{ key: 'c' }, { key: '?', modifiers: { isShift: true } }])).toEqual(['c', '?'])
  })

  test('is nothing without a handler', () => {
    expect(namesOf([{ key: 'x' }, { key: 'x', modifiers: MOD }])).toEqual([undefined, undefined])
  })

  test.each([
    ['a field', { isTaken: true }, true],
    ['letters that are switched off', {}, false],
  ])('with a letter alone gives way to %s, and one with the modifier does not', (_, state, hasLetters) => {
    expect(namesOf([{ key: 'c', ...state }], hasLetters)).toEqual([undefined])
    expect(namesOf([{ key: 'k', ...state, modifiers: MOD }], hasLetters)).toEqual(['mod+k'])
  })

  test.each([
    ['Alt and the modifier', { ...MOD, isAlt: true }],
    ['Shift and the modifier', { ...MOD, isShift: true }],
  ])('is left to the browser with %s', (_, modifiers) => {
    expect(namesOf([{ key: 'k', modifiers }])).toEqual([undefined])
  })

  test.each([
    ['Alt', { isAlt: true }],
    ['Ctrl where Cmd is the modifier', { isCtrl: true }],
    ['the Windows key', { isMeta: true }],
  ])('of one letter is none with %s', (_, modifiers) => {
    expect(namesOf([{ key: 'c', modifiers }])).toEqual([undefined])
  })
})

describe('a pair', () => {
  test('is two keys within its time', () => {
    expect(namesOf([{ key: 'g' }, { key: 'h', atMs: PAIR_MS - 1 }])).toEqual([undefined, 'g h'])
  })

  test('is two keys of their own after its time', () => {
    expect(namesOf([{ key: 'g' }, { key: 'h', atMs: PAIR_MS }])).toEqual([undefined, 'h'])
  })

  test('ends with its second key, which begins no other', () => {
    expect(namesOf([{ key: 'g' }, { key: 'h' }, { key: 'h' }])).toEqual([undefined, 'g h', 'h'])
  })

  test('that there is not leaves its second key as a first one', () => {
    expect(namesOf([{ key: 'c' }, { key: 'g' }, { key: 'h' }])).toEqual(['c', undefined, 'g h'])
  })

  test('goes on after a press with the modifier, or into a field', () => {
    const between = [
      { key: 'k', modifiers: MOD },
      { key: 'q', isTaken: true },
    ]
    expect(namesOf([{ key: 'g' }, ...between, { key: 'h' }])).toEqual([undefined, 'mod+k', undefined, 'g h'])
  })
})
