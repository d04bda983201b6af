import { expect, test } from 'vitest'
import { generateTypes } from './gen.ts'
import { status } from './status.ts'

const inputOf = (words: readonly string[], flags = {}) => ({
  words,
  flags,
  env: {},
  out: () => undefined,
  err: () => undefined,
})

test.each([
  { words: [], flags: { lang: 'cobol' } },
  { words: ['cobol'], flags: {} },
])('gen types refuses a language that it does not have: $words $flags', async ({ words, flags }) => {
  await expect(generateTypes(inputOf(words, flags))).rejects.toMatchObject({ code: 'option_invalid' })
})

test('status refuses a form that it does not have', async () => {
  await expect(status(inputOf([], { output: 'xml' }))).rejects.toMatchObject({ code: 'option_invalid' })
})
