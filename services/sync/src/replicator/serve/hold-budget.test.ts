import { describe, expect, test } from 'vitest'
import { createHoldBudget, type NotedHold } from './hold-budget.ts'

describe('the time that checkpoints may wait for tables', () => {
  let at = 0
  const open = () => {
    at = 0
    return createHoldBudget(() => at)
  }

  test('is ten seconds for small tables, and hardly any for large ones', () => {
    const budget = open()
    expect(budget.begin({ areNew: false, isLarge: false })).toBe(10_000)
    budget.end()
    expect(budget.begin({ areNew: false, isLarge: true })).toBe(300)
  })

  test('is short for tables of which devices have nothing', () => {
    expect(open().begin({ areNew: true, isLarge: false })).toBe(500)
  })

  test('is used up by changes that follow each other', () => {
    const budget = open()
    for (let change = 0; change < 4; change++) {
      budget.begin({ areNew: false, isLarge: false })
      at += 2_500
      budget.end()
    }
    expect(budget.begin({ areNew: false, isLarge: false })).toBe(300)
  })

  test('comes back within a minute without a hold', () => {
    const budget = open()
    budget.begin({ areNew: false, isLarge: false })
    at += 60_000
    budget.end()
    at += 30_000
    expect(budget.begin({ areNew: false, isLarge: false })).toBe(5_000)
    budget.end()
    at += 600_000
    expect(budget.begin({ areNew: false, isLarge: false })).toBe(10_000)
  })

  test('passes once for holds that are ended twice', () => {
    const budget = open()
    budget.begin({ areNew: false, isLarge: false })
    at += 4_000
    budget.end()
    budget.end()
    expect(budget.begin({ areNew: false, isLarge: false })).toBe(6_000)
  })

  test('goes on where a killed process left it, however often that happens', () => {
    const noted = (leftMs: number, holdMs: number, agoMs: number): number =>
      createHoldBudget(() => 0, { leftMs, holdMs, agoMs }).leftMs
    expect(noted(10_000, 10_000, 1_000)).toBe(9_000)
    expect(noted(10_000, 10_000, 3_500)).toBe(7_000)
    expect(noted(7_000, 7_000, 7_000)).toBe(7_000)
    expect(noted(10_000, 300, 600)).toBe(9_750)
    expect(noted(10_000, 10_000, 40_000)).toBe(7_000)
    expect(noted(0, 300, 54_600)).toBe(9_050)
    expect(noted(2_000, 0, 42_000)).toBe(9_000)
    expect(noted(0, 0, 3_600_000)).toBe(10_000)

    // Each is killed just before it serves.
    let before: NotedHold = { leftMs: 10_000, holdMs: 0, agoMs: 0 }
    const holds = Array.from({ length: 5 }, () => {
      const budget = createHoldBudget(() => 0, before)
      const { leftMs } = budget
      const holdMs = budget.begin({ areNew: false, isLarge: false })
      before = { leftMs, holdMs, agoMs: holdMs }
      return holdMs
    })
    expect(holds).toEqual([10_000, 7_000, 7_000, 7_000, 7_000])
  })
})
