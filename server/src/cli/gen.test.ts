import { expect, test } from 'vitest'
import { gen } from './gen.ts'
import { status } from './status.ts'

const inputOf = (...argv: readonly string[]) => ({ argv, env: {}, out: () => undefined, err: () => undefined })

test.each([
  [['types', '--lang=cobol'], 'option_invalid'],
  [['types', 'cobol'], 'option_invalid'],
  [['keys'], 'command_unknown'],
  [[], 'command_unknown'],
])('gen %j is refused', async (argv, code) => {
  await expect(gen(inputOf(...argv))).rejects.toMatchObject({ code })
})

test('status refuses a form that it does not have', async () => {
  await expect(status(inputOf('-o', 'xml'))).rejects.toMatchObject({ code: 'option_invalid' })
})
