import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../cli/commands/commands.ts'
import { COMMON_OPTIONS } from '../cli/commands/entry.ts'
import { optionGroups, options } from './options.ts'
import { printOptions, printReference } from './print-reference.ts'

describe('the reference of options', () => {
  test('is what docs/reference/options.md says', () => {
    const file = readFileSync(new URL('../../../docs/reference/options.md', import.meta.url), 'utf8')
    expect(file, 'write it again: node server/dist/cli/main.js options --markdown > docs/reference/options.md').toBe(
      printReference(COMMANDS, COMMON_OPTIONS),
    )
  })

  test('has every option of the server in exactly one group', () => {
    const grouped = optionGroups.flatMap((group) => Object.keys(group.options))
    expect(grouped.toSorted()).toEqual(Object.keys(options).toSorted())
  })
})

describe('the list of options', () => {
  test('fits a terminal of 120 columns', () => {
    for (const line of printOptions(optionGroups).split('\n')) expect(line.length, line).toBeLessThanOrEqual(120)
  })

  test('offers secrets by their variables, never as options that other users of the machine can read', () => {
    expect(printOptions(optionGroups)).toContain('DATABASE_URL')
    expect(printOptions(optionGroups)).not.toContain('--database-url')
    expect(printOptions(optionGroups)).not.toContain('--jwt-secret')
  })
})
