import { describe, expect, test } from 'vitest'
import { type BackgroundEvent, LOADING, nextBackground } from './background-state.ts'

const after = (...events: readonly BackgroundEvent[]) => events.reduce(nextBackground, LOADING)

describe('the background of a map', () => {
  test('shows with its first tile, and also where a style has none', () => {
    expect(after()).toMatchObject({ phase: 'loading' })
    expect(after('tile')).toMatchObject({ phase: 'shown', hasFailed: false })
    expect(after('drawn')).toMatchObject({ phase: 'shown', hasFailed: false })
  })

  test('is missing without a style, after a silence, and when no tile came', () => {
    expect(after('broken')).toMatchObject({ phase: 'missing' })
    expect(after('silent')).toMatchObject({ phase: 'missing' })
    expect(after('failed', 'failed', 'drawn')).toMatchObject({ phase: 'missing' })
  })

  test('stays with what it has when more cannot be loaded, and says that something is missing', () => {
    expect(after('tile', 'failed', 'silent', 'drawn')).toMatchObject({ phase: 'shown', hasFailed: true })
  })

  test('still comes after a silence', () => {
    expect(after('silent', 'tile', 'drawn')).toMatchObject({ phase: 'shown' })
  })

  test('begins again as if nothing had been', () => {
    expect(after('forbidden', 'broken', 'begin')).toEqual(LOADING)
  })
})
