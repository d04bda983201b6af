import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { findDeno } from './program.ts'

describe('Deno', () => {
  test('is that of the package of the platform', () => {
    expect(existsSync(findDeno(undefined))).toBe(true)
  })

  test('that is not there is told with what to do', () => {
    expect(() => findDeno('/nowhere/deno')).toThrow(
      expect.objectContaining({
        code: 'functions_deno_missing',
        detail: '/nowhere/deno cannot be run.',
        hint: expect.stringContaining('functionsDeno') as string,
      }),
    )
  })
})
