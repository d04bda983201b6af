import { describe, expect, test } from 'vitest'
import { createHoldBudget } from './hold-budget.ts'

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
})
