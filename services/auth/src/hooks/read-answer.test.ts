import { describe, expect, test } from 'vitest'
import { readHookAnswer } from './read-answer.ts'

describe('the answer of a hook', () => {
  test.each([
    [null, {}],
    ['null', {}],
    ['{}', {}],
    ['{"decision":"continue"}', { decision: 'continue' }],
    ['{"error":null}', { error: null }],
    ['{"error":{}}', { error: {} }],
  ])('%s is no refusal', (text, answer) => {
    expect(readHookAnswer(text)).toEqual(answer)
  })

  test.each([
    ['{"error":{"http_code":403,"message":"not you"}}', 403, 'unknown', 'not you'],
    ['{"error":{"http_code":500,"message":"broken"}}', 500, 'unexpected_failure', 'broken'],
    ['{"error":{"message":"no code"}}', 500, 'unexpected_failure', 'no code'],
    ['{"error":{"http_code":"403","message":"text"}}', 500, 'unexpected_failure', 'text'],
    ['{"error":{"http_code":200,"message":"no refusal"}}', 500, 'unexpected_failure', 'no refusal'],
    ['{"error":{"http_code":403}}', 403, 'unknown', 'The request was refused by a hook'],
  ])('%s refuses', (text, status, code, message) => {
    expect(() => readHookAnswer(text)).toThrow(expect.objectContaining({ status, code, message }))
  })

  test.each(['', 'yes', '[]', '"text"', '1'])('%j cannot be read', (text) => {
    expect(() => readHookAnswer(text)).toThrow('Error unmarshaling JSON output.')
  })
})
