import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { compileValidator } from './compile-validator.ts'

const validatorOf = (schema: ReturnType<typeof Type.Object>, httpPart: string) =>
  compileValidator({ schema, httpPart, method: 'POST', url: '/', type: 'test' } as Parameters<
    typeof compileValidator
  >[0])

test('converts what an address says to the types of the schema', () => {
  const validate = validatorOf(Type.Object({ page: Type.Integer() }), 'querystring')
  expect(validate({ page: '7' })).toEqual({ value: { page: 7 } })
})

test('takes a body as it is', () => {
  const validate = validatorOf(Type.Object({ page: Type.Integer() }), 'body')
  expect(validate({ page: 7 })).toEqual({ value: { page: 7 } })
  expect(validate({ page: '7' })).toMatchObject({ error: [expect.anything()] })
})

test('names the problem, at the first request and at later ones', () => {
  const validate = validatorOf(Type.Object({ id: Type.String({ format: 'uuid' }) }), 'params')
  for (let request = 0; request < 2; request++)
    expect(validate({ id: 'x' })).toMatchObject({ error: [{ keyword: 'format' }] })
  expect(validate({ id: '6d3fd3a8-8c8d-4a57-9d35-2e1c6d5e8a11' })).toHaveProperty('value')
})
