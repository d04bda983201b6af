import { describe, expect, test } from 'vitest'
import { type FollowedRecord, followActive, type ReadRows } from './follow-active.ts'
import type { Selection } from './selection.ts'

const rowsOf = (...ids: readonly string[]): ReadRows => ({
  row: (index) => (ids[index] === undefined ? undefined : { id: ids[index] }),
  indexOf: (id) => (ids.includes(id) ? ids.indexOf(id) : undefined),
})
const at = (row: number, anchorRow = row): Selection => ({
  active: { row, column: 1 },
  anchor: { row: anchorRow, column: 0 },
})
const follow = (rows: ReadRows, selection: Selection, last?: FollowedRecord): ReturnType<typeof followActive> =>
  followActive(last, { rows, viewKey: 'v', selection })

describe('the active cell', () => {
  const { followed } = follow(rowsOf('a', 'b', 'c'), at(1))

  test('follows its record to the row where it is now, with the range', () => {
    expect(follow(rowsOf('new', 'a', 'b', 'c'), at(1, 0), followed)).toEqual({
      followed: { viewKey: 'v', row: 2, id: 'b' },
      moved: { active: { row: 2, column: 1 }, anchor: { row: 1, column: 0 } },
    })
  })

  test('keeps a range within the grid when its record moves up', () => {
    const { followed: second } = follow(rowsOf('a', 'b', 'c'), at(2, 1))
    expect(follow(rowsOf('c', 'a', 'b'), at(2, 1), second).moved).toEqual({
      active: { row: 0, column: 1 },
      anchor: { row: 0, column: 0 },
    })
  })

  test('stays in its row when its record is deleted, and follows the record that is there now', () => {
    expect(follow(rowsOf('a', 'c'), at(1), followed)).toEqual({
      followed: { viewKey: 'v', row: 1, id: 'c' },
      moved: undefined,
    })
  })

  test('moves nowhere when the person has chosen another row, or another view', () => {
    const moved = rowsOf('b', 'a', 'c')
    expect(follow(moved, at(2), followed).moved).toBeUndefined()
    expect(followActive(followed, { rows: moved, viewKey: 'other', selection: at(1) }).moved).toBeUndefined()
  })

  test('is not mistaken for moved while its window is not here', () => {
    const away = follow(rowsOf(), at(1), followed)
    expect(away.moved).toBeUndefined()
    expect(follow(rowsOf('x', 'y'), at(1), away.followed).moved).toBeUndefined()
  })
})
