import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeLines } from './merge-lines.ts'

const BASE = 'pump\nvalve\nhatch\nladder\nlamp'
const change = (line: string, to: string): string => BASE.replace(line, to)
const merge = (mine: string, theirs: string, base = BASE) => mergeLines(base, mine, theirs)

describe('two versions of a text', () => {
  test('are put together where they changed different lines', () => {
    expect(merge(change('pump', 'pump: leaks'), change('lamp', 'lamp: dark'))).toEqual({
      text: 'pump: leaks\nvalve\nhatch\nladder\nlamp: dark',
      conflicts: 0,
    })
    expect(merge(change('valve\n', ''), change('ladder', 'ladder\nrope'))?.text).toBe('pump\nhatch\nladder\nrope\nlamp')
  })

  test('that add lines at the same place keep both, what was there first before the other', () => {
    expect(merge(`${BASE}\nmine`, `${BASE}\ntheirs`)).toEqual({ text: `${BASE}\ntheirs\nmine`, conflicts: 0 })
    expect(merge(`${BASE}\nsame`, `${BASE}\nsame`)).toEqual({ text: `${BASE}\nsame`, conflicts: 0 })
  })

  test('are a conflict where both changed the same line, or lines that touch', () => {
    expect(merge(change('hatch', 'hatch: mine'), change('hatch', 'hatch: theirs'))).toEqual({
      text: change('hatch', 'hatch: theirs\nhatch: mine'),
      conflicts: 1,
    })
    expect(merge(change('hatch', 'mine'), change('ladder', 'theirs'))?.conflicts).toBe(1)
    expect(merge(change('hatch\n', ''), change('hatch', 'theirs'))?.conflicts).toBe(1)
    expect(merge('', change('hatch', 'theirs'))?.conflicts).toBe(1)
  })

  test('that were both written where there was nothing are a conflict', () => {
    expect(merge('mine', 'theirs', '')).toEqual({ text: 'theirs\nmine', conflicts: 1 })
    expect(merge('same', 'same', '')).toEqual({ text: 'same', conflicts: 0 })
  })

  test('differ by no line when only their line ends do', () => {
    expect(mergeLines('a\r\nb\r\nc', 'a\nb\nc mine', 'a theirs\r\nb\r\nc')).toEqual({
      text: 'a theirs\nb\nc mine',
      conflicts: 0,
    })
  })

  test('are left to a person when they are too long or too different to be compared', () => {
    const numbered = (prefix: string, count: number): string =>
      Array.from({ length: count }, (_, at) => `${prefix}${at}`).join('\n')
    expect(merge(numbered('a', 20_001), '', '')).toBeUndefined()
    expect(merge(numbered('a', 600), numbered('b', 600), numbered('c', 600))).toBeUndefined()
    expect(merge('\n'.repeat(19_000), '\n'.repeat(18_500), '\n'.repeat(19_000))?.conflicts).toBe(0)
  })
})

describe('whatever the texts', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', '', 'd'), { maxLength: 8 }).map((lines) => lines.join('\n'))

  test('a version that changed nothing gives way to the other', () => {
    fc.assert(
      fc.property(text, text, (base, other) => {
        expect(mergeLines(base, other, base)).toEqual({ text: other, conflicts: 0 })
        expect(mergeLines(base, base, other)).toEqual({ text: other, conflicts: 0 })
        expect(mergeLines(base, other, other)).toEqual({ text: other, conflicts: 0 })
      }),
    )
  })

  test('every line that a version added is in what becomes of both', () => {
    const lines = (of: string): readonly string[] => (of === '' ? [] : of.split('\n'))
    const count = (of: readonly string[], line: string): number => of.filter((one) => one === line).length
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        const merged = lines(mergeLines(base, mine, theirs)?.text ?? 'none')
        for (const version of [mine, theirs].map(lines)) {
          for (const line of version) {
            if (count(lines(base), line) === 0) expect(count(merged, line)).toBeGreaterThanOrEqual(count(version, line))
          }
        }
      }),
    )
  })

  test('the two versions are equals, but for the order of what both keep', () => {
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        const [one, two] = [mergeLines(base, mine, theirs), mergeLines(base, theirs, mine)]
        expect(one?.conflicts).toBe(two?.conflicts)
        expect(one?.text.split('\n').toSorted()).toEqual(two?.text.split('\n').toSorted())
      }),
    )
  })
})
