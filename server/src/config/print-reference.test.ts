import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { printCommands } from '../cli/commands.ts'
import { commandDeclarations, optionGroups } from './options.ts'
import { printHelp, printReference } from './print-reference.ts'

describe('the reference of options', () => {
  test('is what docs/reference/options.md says', () => {
    const file = readFileSync(new URL('../../../docs/reference/options.md', import.meta.url), 'utf8')
    expect(file, 'write it again: node server/dist/cli/main.js help --markdown > docs/reference/options.md').toBe(
      printReference(),
    )
  })

  test('has every option in exactly one group', () => {
    const grouped = optionGroups.flatMap((group) => Object.keys(group.options))
    expect(grouped.toSorted()).toEqual(Object.keys(commandDeclarations).toSorted())
  })
})

describe('the help text', () => {
  test('fits a terminal of 120 columns', () => {
    for (const line of printHelp(printCommands()).split('\n')) expect(line.length, line).toBeLessThanOrEqual(120)
  })

  test('offers secrets by their variables, never as options that other users of the machine can read', () => {
    expect(printHelp(printCommands())).toContain('DATABASE_URL')
    expect(printHelp(printCommands())).not.toContain('--database-url')
    expect(printHelp(printCommands())).not.toContain('--jwt-secret')
  })
})
