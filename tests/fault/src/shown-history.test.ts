import { describe, expect, test } from 'vitest'
import { findBreaches, type State } from './shown-history.ts'

/** Rows like `items/1=a`, separated by blanks. */
function state(text: string): State {
  return new Map(text.split(' ').flatMap((row) => (row === '' ? [] : [row.split('=') as [string, string]])))
}

const states = (texts: readonly string[]): readonly State[] => texts.map(state)

const COMMITS = ['days/1=a', 'days/1=a items/1=a', 'days/1=b items/1=a', 'days/1=b items/1=b', 'items/1=b', '']

describe('what a device showed', () => {
  test.each([
    ['nothing', []],
    ['all commits', COMMITS],
    ['some commits', ['days/1=a items/1=a', 'items/1=b']],
    ['a table that came later', ['days/1=b', 'days/1=b items/1=b']],
    ['an empty device at first, as after the last commit', ['', 'days/1=a', 'days/1=b items/1=a', '']],
    ['a table without the other one at first, as after a later commit', ['items/1=b', 'days/1=b items/1=b', '']],
  ])('is in order: %s', (_title, shown) => {
    expect(findBreaches(states(shown), states(COMMITS))).toEqual([])
  })

  test.each([
    ['an earlier commit', ['days/1=b items/1=a', 'days/1=a items/1=a'], 'went back: state 1'],
    ['an earlier commit after an empty table', ['days/1=b items/1=b', 'items/1=b', 'days/1=b items/1=b'], 'went back'],
    ['half of a commit', ['days/1=a items/1=b'], 'never showed: state 0'],
    ['a value that was never committed', ['days/1=c'], 'never showed'],
    ['a table that vanished', ['days/1=b items/1=a', 'days/1=b', 'days/1=b items/1=a'], 'never showed: state 1'],
    ['a table that vanished and came back', ['days/1=b items/1=b', 'items/1=b', 'days/1=a items/1=a'], 'went back'],
  ])('is not in order: %s', (_title, shown, breach) => {
    expect(findBreaches(states(shown), states(COMMITS)).join('\n')).toContain(breach)
  })
})
